"""The canonical functions: one folder per topic, one module per framework."""
