"""What a replay does beside the program, which is to see nothing of it: no call, and no error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxvstorch.names.running.call import Call, copied
from jaxvstorch.names.running.describe import error_text
from jaxvstorch.porter.agreeing import Judged
from jaxvstorch.porter.becoming import becoming as in_jax
from jaxvstorch.porter.private import torch as private
from jaxvstorch.porter.report import FAILED, Place


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


def becoming(name: str, place: Place, call: Call, result: Any) -> str | None:
    """What a call is in JAX, as it would be written in its place."""
    try:
        with unseen():
            return in_jax(name, place, call, result)
    except Exception:  # the program is not to see an error of ours
        return None


def whatever_comes(judged: Callable[[], Judged]) -> Judged:
    """What became of a call, whatever goes wrong: the program is not to see an error of ours."""
    try:
        return judged()
    except Exception as error:
        return Judged(FAILED, error_text(error))
