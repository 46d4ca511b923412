"""Accountants held against the truth: exact enumeration where laws can be written down, sampled losses where not."""
