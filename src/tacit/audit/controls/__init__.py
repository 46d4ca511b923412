"""Mechanisms that the auditor is held against: broken ones that it must find, sound ones that it must let pass."""
