"""Private selection: of candidates, of keys, and of questions with high values."""
