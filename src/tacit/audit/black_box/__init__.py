"""Lower bounds of ε from samples alone: learn what tells two data sets apart, then count on fresh answers."""
