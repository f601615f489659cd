"""The ledger over the calls of a command line, keyword arguments included."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jaxvstorch.explainer.calls import Ledger, describe, ledger


def record(
    compiled: Callable[..., Any], calls: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> Ledger:
    """Call a compiled function with each of ``calls``, and note what was compiled.

    Args:
        compiled: what ``jax.jit`` or ``torch.compile`` returned.
        calls: positional and keyword arguments of each.
    """
    return ledger(_Spread(compiled), [(_Given(*call),) for call in calls])


@dataclass(frozen=True, repr=False)
class _Given:
    """All arguments of a call as one, since a ledger takes them by position only."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __repr__(self) -> str:
        named = [f"{name}={describe(value)}" for name, value in self.kwargs.items()]
        return ", ".join([*map(describe, self.args), *named])


class _Spread:
    """A compiled function that takes them so; in all else it looks like the function."""

    def __init__(self, compiled: Callable[..., Any]) -> None:
        self._compiled = compiled

    def __call__(self, given: _Given) -> Any:
        return self._compiled(*given.args, **given.kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)
