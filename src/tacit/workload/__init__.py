"""Many questions as one release: tables that add up, optimal noise, and bounds on what is possible."""
