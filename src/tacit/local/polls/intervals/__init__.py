"""Intervals of a proportion, and of what two proportions say together."""
