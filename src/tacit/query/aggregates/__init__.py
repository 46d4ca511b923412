"""Aggregates: the sums that each needs over a unit's rows, and how its answer is read from noisy sums."""
