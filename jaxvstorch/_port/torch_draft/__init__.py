"""A draft in PyTorch of a program in JAX.

``recording`` runs the program with its calls watched: ``from_jax`` does each one in PyTorch, and
``kinds`` says what each name held. ``files`` are the program's, which ``merging`` reads as one.
``expressions`` makes PyTorch's of the program's, with ``classes`` for modules, ``layers`` for the
layers in them, and ``training`` for gradients and optimizers; ``leftovers`` marks the names of JAX
that stay. ``composing`` puts the file together, and ``parity`` compares it with the program.
"""
