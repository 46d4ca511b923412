"""Running a plan: integers from an engine, to which noise is added before they are stored."""
