"""Keys that are themselves private: which of them to show."""
