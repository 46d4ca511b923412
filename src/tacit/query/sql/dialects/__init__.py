"""What every dialect shares: the types and parts of lowered SQL, and calls of functions with their words."""
