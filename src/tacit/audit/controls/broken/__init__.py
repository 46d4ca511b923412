"""Broken mechanisms, a few lines each, with what is wrong and which stage finds it."""
