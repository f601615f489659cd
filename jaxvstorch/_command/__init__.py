"""The command ``jaxvstorch``: what it reads, runs and prints."""


class BadInputError(Exception):
    """The command cannot do what was asked; the message says why, and what to do instead."""
