"""The errors of a framework or a library that is missing or broken."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingFrameworkError(ModuleNotFoundError):
    """JAX or PyTorch is needed and not installed."""

    __module__ = "jaxvstorch"


class BrokenInstallError(RuntimeError):
    """A library that this package needs is missing, or cannot be imported."""

    __module__ = "jaxvstorch"


@contextmanager
def importing(wanted_by: str) -> Iterator[None]:
    """Import what this package needs: an error there says what to do about it.

    Args:
        wanted_by: what cannot work without, for the message.

    Raises:
        BrokenInstallError: an import failed.
    """
    try:
        yield
    except Exception as error:  # a broken library raises anything
        what = (str(error).splitlines() or [""])[0]
        raise BrokenInstallError(
            f"{wanted_by} cannot import what it needs ({type(error).__name__}: {what}). "
            "`pip install jaxvstorch` installs what is missing, and `jaxvstorch doctor` says what "
            "is broken."
        ) from error
