"""What leaves the curator: answers with their intervals, their price and their certificate, as people read them."""
