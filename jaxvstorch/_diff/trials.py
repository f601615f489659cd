"""Computes what the other side may have computed, and looks for the numbers among its values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.numbers import Layout, allowed_for, distance, find_layout
from jaxvstorch._diff.operations import TRANSPARENT
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.recording import Array, Recording, Value, eps_of, is_plain
from jaxvstorch._diff.status import Status
from jaxvstorch._diff.torch_run import again
from jaxvstorch._diff.ways.activations import ACTIVATIONS, GATED
from jaxvstorch._diff.ways.all import ways

_FEW = 8
_NEAR = 200  # values of the other side behind the parting that a way's numbers are looked for in


class Trials:
    """Tries the ways in which operations commonly differ.

    Args:
        search: before it goes on behind the parting.
        titles: of the two sides.
        statuses: of their runs.
    """

    def __init__(
        self, search: Search, titles: tuple[str, str], statuses: tuple[Status, Status]
    ) -> None:
        self.search, self.titles, self.statuses = search, titles, statuses
        # The value that a way was tried on, the other side's with its numbers, and how these lie.
        self.met: tuple[Value, Value, Layout] | None = None

    def ways(self, parting: Parting) -> str:
        """An operation of PyTorch with another argument, or another one in its place."""
        first, second = self.search.first.recording, self.search.second
        if first.framework == "torch":
            values = [*_operations(first, parting.start), *parting.first]
            # The other side may have an operand among its steps, as a median has two elements.
            given, classes = self.search.given_classes, self.search.first.classes
            values += [first.values[i] for i in parting.start.parents if classes[i] not in given]
            found = self._way(first, values, self._lost(second, self.statuses[1], parting.second))
            if found:
                return f"with {found[0]} in place of {found[1]}, {self.titles[1]} agrees"
        elif second.framework == "torch":
            values = [*_operations(second, parting.start_second), *parting.second]
            found = self._way(second, values, self._lost(first, self.statuses[0], parting.first))
            if found:
                return f"with {found[1]} in place of {found[0]}, {self.titles[1]} agrees"
        return ""

    def gate(self, parting: Parting) -> str:
        """Another activation; they may part in a factor of it, as `1 + tanh(…)` or a sigmoid."""
        here, there = self._activations(parting)
        if not (here and there):
            here, there = self._activations(parting, factors=(1.0, 0.5))
        elif any(
            len([v for v in region if v.name not in TRANSPARENT and not v.inner]) <= 1
            for region in (parting.first, parting.second)
        ):
            return ""  # of one operation, its arguments are tried first
        is_found = here and there and here != there
        return f"with {here} in place of {there}, {self.titles[1]} agrees" if is_found else ""

    def activation(self, parting: Parting) -> str:
        """Another function of each number, however both are written."""
        here, there = self._activations(parting)
        if not here or there in ("", "no activation"):  # the other side leaves something out
            return ""
        return f"with {here} in place of {there}, {self.titles[1]} agrees"

    def known_function(self, parting: Parting) -> str:
        """The name of the second side's function of each number, where the first has another."""
        _, there = self._activations(parting)
        if there in ("", "no activation"):
            return ""
        return f"{self.titles[1]} computes {there} of the same numbers, {self.titles[0]} does not"

    def _only_source(self, parting: Parting) -> Array | None:
        """What the first side computes it from, if that is one array of the same shape."""
        t, values = parting.first[-1], self.search.first.recording.values
        sources = {
            self.search.first.classes[i]: values[i].array
            for value in parting.first
            for i in value.parents
            if self.statuses[0].has[i] and not values[i].is_plain
        }
        if len(sources) != 1:
            return None
        (x,) = sources.values()
        is_one = x.shape == t.array.shape and x.dtype.kind == "f" and x.size >= _FEW
        return x if is_one else None

    def _activations(self, parting: Parting, factors: Sequence[float] = ()) -> tuple[str, str]:
        """Which activation of the same numbers either side computes; empty where none is known.

        With ``factors``: of which activation it is the gate, times one factor.
        """
        t, s, layout = parting.first[-1], parting.second[-1], parting.layout
        if (x := self._only_source(parting)) is None or layout is None:
            return "", ""
        allowed = allowed_for(max(t.precise_to, min(s.precise_to, self.search.working)))
        here = there = ""
        for gate in [factor * x for factor in factors] or [np.ones_like(x)]:
            with np.errstate(all="ignore"):
                ours, theirs = gate * t.array, layout(gate) * s.array
            for name in GATED if factors else ACTIVATIONS:
                array = ACTIVATIONS[name](torch.from_numpy(x.copy())).numpy()
                here = here or name * (distance(array, ours) <= allowed)
                there = there or name * (distance(layout(array), theirs) <= allowed)
        return here, there

    def _lost(self, recording: Recording, status: Status, values: list[Value]) -> list[Value]:
        begin = values[0].index
        return [
            v
            for v in recording.values[begin : begin + _NEAR]
            if not status.has[v.index] and not v.is_plain
        ]

    def _way(
        self, recording: Recording, values: list[Value], others: list[Value]
    ) -> tuple[str, str] | None:
        seen = set()
        for value in values:
            if value.call is None or id(value.call) in seen:
                continue
            seen.add(id(value.call))
            function, args, kwargs = again(value.call, recording)
            names = [a.name for a in function._schema.arguments]
            arguments = {**dict(zip(names, args, strict=False)), **kwargs}
            arguments = {
                a.name: arguments.get(a.name, a.default_value)
                for a in function._schema.arguments
                if a.name in arguments or a.has_default_value()
            }
            for way in ways(function, arguments):
                if (found := self._given(way.compute, others)) is not None:
                    other, layout = found
                    self.met = value, other, layout
                    return way.here, way.there
        return None

    def _given(self, compute: Any, others: list[Value]) -> tuple[Value, Layout] | None:
        """Which of the others a way gives, and how that lies in it."""
        try:
            with torch.no_grad():
                result = compute()
        except Exception:  # the way is not one for these arguments
            return None
        result = result[0] if isinstance(result, list | tuple) else result
        if not isinstance(result, torch.Tensor):
            return None
        array = result.numpy(force=True)
        if is_plain(array):
            return None
        for other in others:
            if other.array.size == array.size:
                eps = max(min(other.precise_to, self.search.working), eps_of(array))
                layout = find_layout(array, other.array, allowed_for(eps))
                if layout is not None:
                    return other, layout
        return None


def _operations(recording: Recording, value: Value) -> list[Value]:
    """An operation of PyTorch, after the one that it is a step of."""
    if not value.inner:
        return [value]
    for later in recording.values[value.index :]:
        if not later.inner and later.call is not None:
            return [later, value]
    return [value]
