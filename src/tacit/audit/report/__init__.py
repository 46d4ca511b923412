"""A verdict as a page with a picture."""
