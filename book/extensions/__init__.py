"""What this book adds to Sphinx, one concept to a module."""
