"""A reader's module, whose values and classes are read by functions of another module."""

scale = 2.0
table = {"a": {"b": []}}  # type: ignore[var-annotated]


class Limits:
    """Values that a class holds."""

    low = 1.0
    seen = 0
