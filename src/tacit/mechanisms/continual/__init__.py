"""Continual counting: a private running total at every step of a stream."""
