"""What a replay does beside the program, which is to see nothing of it: no call, and no error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxvstorch._frameworks.private import torch as private
from jaxvstorch._port.agreeing import Judged
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.report import PortStatus


@contextmanager
def unseen() -> Iterator[None]:
    """Keep what we ask PyTorch for from subclasses and modes of the program's own."""
    with private.DisableTorchFunction(), private.disable_current_modes():
        yield


def before(given: Any) -> Any:
    """Copies of what a call is given; that itself where it has arrays that cannot be copied."""
    try:
        with unseen():
            return copied(given)
    except Exception:
        return given


def text_or_none(write: Callable[[], str | None]) -> str | None:
    """What a call is in JAX, as it would be written in its place; None where writing it fails."""
    try:
        with unseen():
            return write()
    except Exception:  # the program is not to see an error of ours
        return None


def whatever_comes(judged: Callable[[], Judged]) -> Judged:
    """What became of a call, whatever goes wrong: the program is not to see an error of ours."""
    try:
        return judged()
    except Exception as error:
        return Judged(PortStatus.FAILED, error_text(error))
