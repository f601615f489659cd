"""Public programs that ``port`` is tried on."""
