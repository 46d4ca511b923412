"""Many questions, of which only the few yeses cost."""
