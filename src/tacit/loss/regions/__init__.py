"""Which tests of membership a loss permits."""
