"""The examples by name: pairs of functions, and their source."""
