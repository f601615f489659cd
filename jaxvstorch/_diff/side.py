"""One of the two implementations: what it is, its weights, and how it is run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from jaxvstorch._diff.recording import Array, Recording, Value
from jaxvstorch._diff.storage import Storage

Inputs = tuple[Any, ...]
Visit = Callable[[Recording, Value], Array | None]


class Side(ABC):
    """An implementation that can be run and recorded.

    Attributes:
        framework: ``"jax"`` or ``"torch"``.
        weights: its arrays that are no inputs, by name.
        trained: the names of those that have gradients.
    """

    framework: str
    weights: dict[str, Array]
    trained: frozenset[str]

    @cached_property
    def storage(self) -> Storage:
        """Of the arrays of its runs."""
        return Storage()

    @abstractmethod
    def run(
        self,
        inputs: Inputs,
        visit: Visit,
        *,
        wide: bool,
        base: Recording | None = None,
        start: int = 0,
        gradient: Sequence[str] = (),
    ) -> Recording:
        """Run it once, and record.

        Args:
            inputs: NumPy arrays, and other values, in containers or not.
            visit: is told of each value, and may return other numbers for it.
            wide: whether weights and inputs are in float64.
            base: an earlier run, whose values before ``start`` need not be computed again; they may
                not be visited either.
            start: an index.
            gradient: names of weights and inputs. The outputs are then also the gradients with
                respect to them, of the only output if that is one number, else of the sum of the
                outputs' squares and sines.
        """


def keep(recording: Recording, value: Value) -> None:
    """A visit that changes nothing."""


def in_float64(value: Any) -> Any:
    """A floating-point or complex array with 64 bits for each real number; another as it is."""
    import ml_dtypes

    if not isinstance(value, np.ndarray | np.generic):
        return value
    if value.dtype.kind == "c":
        return value.astype(np.complex128)
    is_float = value.dtype.kind == "f" or value.dtype == ml_dtypes.bfloat16
    return value.astype(np.float64) if is_float else value
