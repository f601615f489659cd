"""A module of the reader's own, whose values and classes functions of another one read."""

scale = 2.0
table = {"a": {"b": []}}  # type: ignore[var-annotated]


class Limits:
    """Values that a class holds."""

    low = 1.0
    seen = 0
