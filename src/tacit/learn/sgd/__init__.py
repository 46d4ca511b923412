"""Private gradient descent on torch models (DP-SGD): person by person, with exact noise on whole numbers."""
