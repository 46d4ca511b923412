"""Running a plan: integers from an engine, noise added, nothing else kept."""
