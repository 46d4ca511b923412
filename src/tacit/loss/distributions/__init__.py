"""Privacy loss distributions: how the privacy loss of one release is spread, as the accountant composes it."""
