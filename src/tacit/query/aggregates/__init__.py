"""Aggregates: what each adds up over a person's rows, and how its answer is read from noisy sums."""
