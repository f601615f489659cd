"""Training steps of two implementations, compared one after another."""
