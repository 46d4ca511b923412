"""k-anonymity and its kin: what they measure, a way to reach them, and the attacks that they do not stop."""
