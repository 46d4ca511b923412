"""The curator: the only place where data and ledger meet."""
