"""Many questions as one release: tables that add up, optimal noise, and lower bounds on error."""
