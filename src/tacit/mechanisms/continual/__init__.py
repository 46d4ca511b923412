"""Counts of data that arrive: a private running total at every step."""
