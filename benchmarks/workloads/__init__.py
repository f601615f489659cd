"""Benchmarks that are not a plain call of a pair: one module per question, each with ``cases``."""
