"""What no release could do better: lower bounds on error, each with the class of releases that it holds for."""
