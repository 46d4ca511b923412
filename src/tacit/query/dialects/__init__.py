"""The lowered SQL in other engines' words: a closed vocabulary, each word with its type, and nothing else."""
