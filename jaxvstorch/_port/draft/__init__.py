"""The draft of a port: JAX for each function and module that a program's run reached.

``recording`` keeps what was called, ``rewriting`` turns a function's source into JAX, ``layers``
writes PyTorch's own modules, ``files`` takes what of each of the program's files was reached,
``composing`` puts the draft together, and ``trying`` and ``comparing`` compare its parts with the
program's own.
"""
