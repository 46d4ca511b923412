"""Polls on sensitive questions: designs, what each protects, and what its reports say about everybody."""
