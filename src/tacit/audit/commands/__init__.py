"""The parts of `tacit attack` and `tacit audit`, one a file."""
