"""Lower bounds on error, each with the class of releases that it holds for."""
