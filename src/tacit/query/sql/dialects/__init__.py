"""The common base of dialects: the types and parts of lowered SQL, and calls of functions in each dialect."""
