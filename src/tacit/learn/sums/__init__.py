"""Models from bounded sums: each person's sums are whole numbers whose norm the SQL itself keeps within a limit."""
