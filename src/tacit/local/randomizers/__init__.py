"""Randomizers, which run on a respondent's own device: one answer and a few random integers become one report."""
