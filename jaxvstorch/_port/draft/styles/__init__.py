"""Drafts in another style than flax's NNX: the finished draft, rewritten.

``program`` knows what a draft in NNX defines, and which of its functions need a key or change
state; ``resolving`` which modules expressions stand for; ``threading`` and ``writing`` hand keys
and state through calls; ``steps`` writes training steps, ``equinox`` modules. ``composing`` puts
the draft together, and ``comparing`` compares it with the program.
"""


class CannotWriteError(Exception):
    """A program has something that a style has no words for; says what."""
