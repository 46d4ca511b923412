"""Losses known exactly: the dominating pair of laws that bounds every pair of neighbours, and products of pairs."""
