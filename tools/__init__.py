"""What only maintainers run."""
