"""Reconstruction: many answers about groups, and the single people in them recovered."""
