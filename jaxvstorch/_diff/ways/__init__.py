"""The ways in which operations commonly differ, by the kind of operation."""
