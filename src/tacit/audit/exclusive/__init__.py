"""Exclusive answers: what one of two data sets shows and the other never does, searched for directly."""
