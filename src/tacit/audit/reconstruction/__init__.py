"""Reconstruction attacks: many answers about groups, and single people recovered from them."""
