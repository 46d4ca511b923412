"""How often each of many options is true, asked of people who never say which one is true of them."""
