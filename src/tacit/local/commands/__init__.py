"""The parts of `tacit poll`, one a file."""
