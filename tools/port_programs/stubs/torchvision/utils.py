"""Nothing is saved."""

from typing import Any


def save_image(*_: Any, **__: Any) -> None:
    """Save nothing."""
