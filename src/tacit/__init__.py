"""Answers about people that give no person away."""
