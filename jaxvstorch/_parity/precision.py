"""A float64 run that is only as precise as float32, because its function computes in float32.

A softmax or a norm in float32 is usual, whatever the dtype of the inputs, and an error of that size
is no difference. Two things must show it: the function makes narrower arrays of float64 inputs; and
each wrong element jumps, as a rounded number does, where its inputs move by some ten roundings of
float32. An element that is computed in float64 follows its inputs smoothly. What depends on no such
input, as an angle of a position, does not move; it is a number of float32 itself, in both halves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import with_arrays_mapped
from jaxvstorch._parity.comparison import TOLERANCE, Comparison, relative_errors
from jaxvstorch._parity.half import Half
from jaxvstorch._parity.outcome import Arguments, Outcome
from jaxvstorch._parity.outputs import Arrays

# A rounded element can stand still for one of these moves; the longest is too short for a smooth
# element to bend by as much as float32 rounds.
_STEPS = 2 * (1e-6, 2e-6, 4e-6, 8e-6)
COARSE = "the float64 run is only as precise as float32"
_SHARE = 8  # an error this many times larger than the jumps does not come from them


@dataclass(frozen=True)
class Precision:
    """How precise the float64 runs are, which is found out where a comparison depends on it.

    Attributes:
        halves: by framework.
        inputs: in float64.
        tolerance: as in ``check_parity``.
        by_torch: whether the PyTorch function gave the answer's outputs; it gave its gradients.
    """

    halves: Mapping[str, Half]
    inputs: Arguments
    tolerance: float
    by_torch: bool
    _runs: dict[str, tuple[Arrays, list[list[Arrays]]]] = field(default_factory=dict)

    def judged(self, row: Comparison, n: int, outcome: Outcome, answer: Outcome) -> Comparison:
        """The row, by the tolerance of float32 where that is how precise its float64 run is.

        Args:
            row: compares an array of the outcome with the answer's.
            n: which one; the outputs are counted, then the gradients.
            outcome: of one half.
            answer: to all of it.
        """
        allowed = self.tolerance * TOLERANCE[np.dtype(np.float32)]
        if row.same or row.dtype != "float64" or not row.error <= allowed:
            return row
        sides = {row.what.partition(" ")[0]}
        if self.by_torch or n >= len(outcome.outputs):
            sides.add("torch")
        coarse = [name for name in sorted(sides) if self.halves[name].narrows(self.inputs)]
        got, expected = outcome.arrays[n], answer.arrays[n]
        error = relative_errors(got, expected)
        jumps = sum(self._jumps(name, n) for name in coarse)
        smooth = ~(_is_narrow(got) & _is_narrow(expected))
        if not coarse or (smooth & (error > np.maximum(row.tolerance, _SHARE * jumps))).any():
            return row
        titles = " and ".join(_frameworks.TITLES[name] for name in coarse)
        note = f"{COARSE}, in which {titles} computes part of it: error {row.error:.2g}"
        note += f", allowed {allowed:.2g}"
        return replace(row, same=True, tolerance=allowed, note=note)

    def _jumps(self, name: str, n: int) -> Any:
        """How far each element is from the middle of where it comes to, moved both ways."""
        if name not in self._runs:
            run = self.halves[name].run
            ends = [
                [run(_move(self.inputs, way * step, seed)).arrays for way in (1, -1)]
                for seed, step in enumerate(_STEPS)
            ]
            self._runs[name] = run(self.inputs).arrays, ends
        here, ends = self._runs[name]
        middles = ((up[n] + down[n]) / 2 for up, down in ends)
        return np.max([relative_errors(middle, here[n]) for middle in middles], axis=0)


def _is_narrow(x: Any) -> Any:
    """Whether each element is a number of float32."""
    with np.errstate(over="ignore"):
        return np.asarray(x == x.astype(np.float32))


def _move(inputs: Arguments, step: float, seed: int) -> Arguments:
    rng = np.random.default_rng(seed)

    def moved(x: Any) -> Any:
        return x * (1 + step * rng.standard_normal(x.shape)) if x.dtype == np.float64 else x

    return tuple(with_arrays_mapped(moved, value) for value in inputs)
