"""Losses known exactly: the two laws that bound every pair of neighbours."""
