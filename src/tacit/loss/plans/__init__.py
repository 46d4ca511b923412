"""Releases as people write them, and what is asked about them."""
