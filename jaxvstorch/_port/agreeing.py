"""Do two results agree, what is there to say of it, and how far apart are they?"""

from typing import Any, NamedTuple

import numpy as np
import torch

from jaxvstorch._port.map.running.compare import LEAST, Difference, compare
from jaxvstorch._port.map.running.values import array, leaves
from jaxvstorch._port.report import PortStatus

_SLIGHT = ("dtype", "rounding", "width")


class Judged(NamedTuple):
    """What became of a call: its status, a note, and the largest difference of two numbers."""

    status: PortStatus
    note: str = ""
    gap: float | None = None

    def noting(self, *notes: str) -> "Judged":
        """The same with more notes, where there are any."""
        return self._replace(note="; ".join(filter(None, [self.note, *notes])))


def agreed(ours: Any, theirs: Any, terms: float = 0.0) -> Judged:
    """What there is to say of PyTorch's result and JAX's.

    Args:
        ours: PyTorch's.
        theirs: JAX's.
        terms: how large the numbers are that were added up.
    """
    found = compare(ours, theirs, wide=True, least=max(terms, LEAST))
    grave = [d for d in found if d.kind not in _SLIGHT]
    gap = largest(ours, theirs)
    return Judged(
        PortStatus.DIFFERS if grave else PortStatus.VERIFIED, _said(grave[:1] or found), gap
    )


def _said(found: list[Difference]) -> str:
    return "; ".join(
        "more than rounding of its last digits"
        if d.kind == "rounding"
        else f"{d.kind}: {d.torch} in PyTorch, {d.jax} in JAX"
        for d in found
    )


def largest(ours: Any, theirs: Any) -> float | None:
    """The largest difference of two numbers; None of what has another form, or no numbers."""
    one, other = leaves(ours), leaves(theirs)
    if len(one) != len(other) or not all(map(_numeric, one)):
        return None
    gaps = [_gap(array(a), array(b)) for a, b in zip(one, other, strict=True)]
    known = [gap for gap in gaps if gap is not None]
    return max(known) if len(known) == len(gaps) and known else None


def _gap(a: np.ndarray, b: np.ndarray) -> float | None:
    if a.shape != b.shape:
        return None
    kind = np.complex128 if "complex" in a.dtype.name + b.dtype.name else np.float64
    with np.errstate(invalid="ignore"):  # of two infinities there is no difference
        gap = np.abs(a.astype(kind) - b.astype(kind))
    return float(gap[~np.isnan(gap)].max(initial=0.0))


def _numeric(value: Any) -> bool:
    return isinstance(value, torch.Tensor | bool | int | float | complex)
