"""FROM and WHERE: private rows, each with the person it belongs to."""
