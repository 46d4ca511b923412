"""The engines: each knows one database driver, and nothing else does."""
