"""Does a JAX function again in PyTorch: each operation of its jaxpr, on the same values.

``interpreter`` traces the function and runs its jaxpr, ``equation`` does an operation in PyTorch,
and ``primitives`` has the function for it. ``translation`` reads the map from JAX to PyTorch.
"""
