"""A JAX function, done again in PyTorch: each operation of its jaxpr, on the values that come.

``walking`` runs the jaxpr in both, ``primitives`` says what an operation is in PyTorch, and
``backwards`` reads the map of names from JAX to PyTorch.
"""
