"""Releases: answers with their intervals, price and certificate, and their presentation."""
