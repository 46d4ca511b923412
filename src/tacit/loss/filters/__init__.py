"""What may still be released, when each release is chosen after seeing the last."""
