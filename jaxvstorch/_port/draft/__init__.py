"""The draft of a port: JAX for each function and module that a program's run reached.

``recording`` keeps what was called, ``rewriting`` turns a function's source into JAX, ``layers``
writes PyTorch's own modules, ``files`` selects the definitions of each file that were reached,
``composing`` puts the draft together, and ``parity`` and ``comparing`` compare its parts with the
program's own.
"""
