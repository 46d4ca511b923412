"""Accountants, broken and sound."""
