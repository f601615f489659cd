"""Benchmarks of the example functions: ``python -m benchmarks`` runs them on this machine."""
