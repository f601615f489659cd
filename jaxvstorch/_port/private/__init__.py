"""Names that PyTorch does not promise to keep, and that a replay uses."""
