"""Expressions for releases, and the questions answered about them."""
