"""Private tuning: of several candidates, each fit and scored privately, the best one is released."""
