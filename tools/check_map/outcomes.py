"""What a call gives in both frameworks, where either may refuse it."""

from collections.abc import Callable
from typing import Any

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference
from jaxvstorch._port.map.running.describe import error_text, result_text
from jaxvstorch._port.map.running.values import jax_arguments


def outcomes(row: Row, function: Callable[..., Any], call: Call) -> tuple[Any, Any]:
    """A call's result, or its error, in PyTorch and by the map's line.

    Raises:
        RefusedError: the line does not translate one of the arguments.
    """
    try:
        ours: Any = call()
    except Exception as error:
        ours = error
    args, kwargs = jax_arguments(row, call)
    try:
        return ours, function(*args, **kwargs)
    except Exception as error:
        return ours, error


def raised(ours: Any, theirs: Any, only_jax: str = "only JAX raises") -> list[Difference] | None:
    """How two outcomes differ if one is an error, which is not at all if both are.

    Args:
        ours: PyTorch's.
        theirs: JAX's.
        only_jax: the kind of difference if JAX alone raises.

    Returns:
        The difference; ``None`` if neither is an error.
    """
    match ours, theirs:
        case Exception(), Exception():
            return []
        case Exception(), _:
            return [Difference("only PyTorch raises", error_text(ours), result_text(theirs))]
        case _, Exception():
            return [Difference(only_jax, result_text(ours), error_text(theirs))]
    return None
