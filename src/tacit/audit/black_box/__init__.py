"""Lower bounds of ε from samples alone: learn a rule that distinguishes two data sets, then count on fresh answers."""
