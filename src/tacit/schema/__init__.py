"""The data set's description: tables, columns, bounds, keys, the unit of privacy and the budget."""
