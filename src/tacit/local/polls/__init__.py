"""Polls on sensitive questions: designs, their protection, and estimates from their reports."""
