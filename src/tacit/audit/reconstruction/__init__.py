"""Reconstruction attacks: they recover single people from many answers about groups."""
