"""The outcome of a call: whether the two results agree, and how far apart they are."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import torch

from jaxvstorch._port.map.running.compare import LEAST, Difference, compare
from jaxvstorch._port.map.running.values import array, leaves
from jaxvstorch._port.report_data import PortStatus

_SLIGHT = ("dtype", "rounding", "width")
# What adds numbers up rounds by their size, however small their sum is.
_SUMS = frozenset({
    "torch.add", "torch.cumsum", "torch.diff", "torch.mean", "torch.sub", "torch.sum",
    "add", "add_any", "cumsum", "reduce_sum", "reduce_window_sum", "scatter-add", "sub",
})  # fmt: skip
_PRODUCTS = frozenset({
    "torch.bmm", "torch.dot", "torch.einsum", "torch.matmul", "torch.mm", "torch.mv",
    "torch.nn.functional.conv1d", "torch.nn.functional.conv2d", "torch.nn.functional.conv3d",
    "torch.nn.functional.linear", "conv_general_dilated", "dot_general",
})  # fmt: skip


class Outcome(NamedTuple):
    """The outcome of a call: its status, a note, and the largest difference of two numbers."""

    status: PortStatus
    note: str = ""
    gap: float | None = None

    def with_notes(self, *notes: str) -> "Outcome":
        """The same outcome with more notes, where there are any."""
        return self._replace(note="; ".join(filter(None, [self.note, *notes])))

    def with_others(self, others: str) -> "Outcome":
        """The same outcome where the call changed other variables too; then JAX's differs."""
        if not others:
            return self
        verified = self.status == PortStatus.VERIFIED
        status = PortStatus.DIFFERS if verified else self.status
        return self._replace(status=status, note="; ".join(filter(None, [others, self.note])))


def compare_results(torch_result: Any, jax_result: Any, terms: float = 0.0) -> Outcome:
    """Compare the results of one call in both frameworks.

    Args:
        torch_result: the result in PyTorch.
        jax_result: the result in JAX.
        terms: how large the numbers are that were added up.
    """
    differences = compare(torch_result, jax_result, wide=True, least=max(terms, LEAST))
    grave = [d for d in differences if d.kind not in _SLIGHT]
    return Outcome(
        PortStatus.DIFFERS if grave else PortStatus.VERIFIED,
        _note(grave[:1] or differences),
        _largest_gap(torch_result, jax_result),
    )


def _note(differences: list[Difference]) -> str:
    return "; ".join(
        "more than rounding of its last digits"
        if d.kind == "rounding"
        else f"{d.kind}: {d.torch} in PyTorch, {d.jax} in JAX"
        for d in differences
    )


def _largest_gap(torch_result: Any, jax_result: Any) -> float | None:
    """The largest difference of two numbers; None where structures differ or hold no numbers."""
    torch_leaves, jax_leaves = leaves(torch_result), leaves(jax_result)
    if len(torch_leaves) != len(jax_leaves) or not all(map(_is_numeric, torch_leaves)):
        return None
    gaps = [_gap(array(a), array(b)) for a, b in zip(torch_leaves, jax_leaves, strict=True)]
    known = [gap for gap in gaps if gap is not None]
    return max(known) if len(known) == len(gaps) and known else None


def _gap(a: np.ndarray, b: np.ndarray) -> float | None:
    if a.shape != b.shape:
        return None
    dtype = np.complex128 if "complex" in a.dtype.name + b.dtype.name else np.float64
    with np.errstate(invalid="ignore"):  # two infinities have no difference
        gap = np.abs(a.astype(dtype) - b.astype(dtype))
    return float(gap[~np.isnan(gap)].max(initial=0.0))


def _is_numeric(value: Any) -> bool:
    return isinstance(value, torch.Tensor | bool | int | float | complex)


def size_of_terms(name: str, inputs: Iterable[Any]) -> float:
    """How large the numbers are that a call adds up; 0 where it adds none.

    Args:
        name: of a PyTorch function as the map has it, or of an operation of a jaxpr.
        inputs: of the call, in PyTorch.
    """
    if name not in _SUMS | _PRODUCTS:
        return 0.0
    tensors = [x for value in inputs for x in leaves(value) if isinstance(x, torch.Tensor)]
    sizes = [_largest(x) for x in tensors if x.is_floating_point() and x.numel()]
    if not sizes:
        return 0.0
    return max(sizes) if name in _SUMS else math.prod(sizes[:2])


def _largest(x: torch.Tensor) -> float:
    size = x.detach().abs().max().item()
    return size if size < float("inf") else 0.0
