"""Polls and local privacy: each person's answer is randomised before it leaves that person."""
