"""Lower bounds of ε from samples alone: learn what gives a world away, then count on fresh answers."""
