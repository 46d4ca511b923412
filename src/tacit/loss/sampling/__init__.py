"""Releases about a secret sample."""
