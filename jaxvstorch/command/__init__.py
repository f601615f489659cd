"""The parts of ``jaxvstorch explain``: from the texts of a command line to what is printed."""


class BadInputError(Exception):
    """What the command line asks for cannot be done; the message says why, and what to do."""
