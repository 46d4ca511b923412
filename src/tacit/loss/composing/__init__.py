"""Several releases together: in a row, in parallel, for a group."""
