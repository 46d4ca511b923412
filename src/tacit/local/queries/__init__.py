"""Statistical queries: learning from averages alone, whoever answers them."""
