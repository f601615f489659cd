"""Names that PyTorch does not promise to keep, and that compiling for an H100 uses."""
