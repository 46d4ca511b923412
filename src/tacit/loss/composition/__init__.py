"""Several releases together: in a row, in parallel, for a group; bounds and privacy regions."""
