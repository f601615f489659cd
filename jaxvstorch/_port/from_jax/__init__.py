"""A JAX function, done again in PyTorch: each operation of its jaxpr, on the values that come.

``tracing`` makes the jaxpr, ``walking`` runs it, ``trying`` does an operation in both, and
``primitives`` says what it is in PyTorch. ``backwards`` reads the map of names from JAX to PyTorch.
"""
