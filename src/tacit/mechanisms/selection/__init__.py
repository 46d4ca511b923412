"""Which candidates, which private keys or which of many questions stand out."""
