"""Noise added to numbers whose sensitivity the caller states."""
