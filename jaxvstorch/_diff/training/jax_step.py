"""A training step in JAX: a function of states and a batch that returns the new states."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxvstorch._diff.jax_side import ARRAYS, JaxSide, is_key
from jaxvstorch._diff.recording import Array, Kind, Recording, Stage
from jaxvstorch._diff.side import Inputs, Visit
from jaxvstorch._diff.training.step import Compared, Step


class JaxStep(JaxSide, Step):
    """``function(*states, *batch)``, which returns the new states, alone or beside other arrays."""

    def __init__(self, function: Callable[..., Any], states: Sequence[Any]) -> None:
        function, tree = _functional(function, tuple(states))
        self._step = function
        super().__init__(self._stepped, tree)
        self._dtypes = [getattr(leaf, "dtype", None) for leaf in self._leaves]
        self._after: list[Any] = []
        self.compared = Compared()

    def run(self, inputs: Inputs, visit: Visit, *, wide: bool, **rest: Any) -> Recording:
        """Run it; see ``Side``."""
        leaves = self._leaves
        if not wide:
            self._leaves = [
                np.asarray(leaf).astype(dtype) if dtype and not is_key(leaf) else leaf
                for leaf, dtype in zip(leaves, self._dtypes, strict=True)
            ]
        try:
            recording = super().run(inputs, visit, wide=wide, **rest)
        finally:
            self._leaves = leaves
        new = [n for n, leaf in enumerate(self._after) if leaf is None]
        results = recording.outputs[: len(recording.outputs) - len(new)]
        for n, output in zip(new, recording.outputs[len(results) :], strict=True):
            recording.after[self._all_names[n]] = output.index
        recording.outputs = self.returned(recording, results)
        return recording

    def keep_weights(self, run: Recording) -> None:
        """Let only those leaves be weights that are trained or set in the forward pass.

        The others are the optimizer's: moments, and counts of steps.

        Args:
            run: of one step.
        """
        used, pending = set[int](), [v.index for v in run.values if v.stage == Stage.BACKWARD]
        while pending:
            if (i := pending.pop()) not in used:
                used.add(i)
                pending += run.values[i].parents
        before = {v.name: v.index for v in run.values if v.kind == Kind.WEIGHT}

        def is_weight(name: str) -> bool:
            new = run.after.get(name)
            is_set = new not in (None, before[name]) and run.values[new].stage == Stage.FORWARD
            return before[name] in used or (is_set and self.weights[name].dtype.kind == "f")

        self.weights = {name: array for name, array in self.weights.items() if is_weight(name)}

    def advance(self, recording: Recording, given: Mapping[str, Array]) -> None:
        """Let the next run begin where a run has ended; see ``Step``."""
        for n, (name, static) in enumerate(zip(self._all_names, self._after, strict=True)):
            if static is None:
                new = recording.raw[recording.after[name]]
                new = given.get(name, new)
            else:
                new = static
            if isinstance(self._leaves[n], ARRAYS) != isinstance(new, ARRAYS) or (
                static is not None and new is not self._leaves[n]
            ):
                self._traces.clear()  # what was traced has the old one in it
            self._leaves[n] = new
        self._names = [
            name
            for name, leaf in zip(self._all_names, self._leaves, strict=True)
            if isinstance(leaf, ARRAYS)
        ]

    def _names_of(self, paths: Sequence[Any]) -> list[str]:
        """The names of all leaves, without the places of states in which there is only one."""
        while paths and len({path[:1] for path in paths}) == 1 and all(len(p) > 1 for p in paths):
            paths = [path[1:] for path in paths]
        return super()._names_of(paths)

    def _stepped(self, states: tuple[Any, ...], *batch: Any) -> Any:
        results, new = _split(self._step(*states, *batch), states)
        leaves = jax.tree.leaves(new)
        self._after = [None if isinstance(leaf, ARRAYS) else leaf for leaf in leaves]
        return results, [leaf for leaf in leaves if isinstance(leaf, ARRAYS)]


def _functional(
    function: Callable[..., Any], states: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A step and its states, where modules of flax's NNX are changed in place."""
    nnx = sys.modules.get("flax.nnx")
    if nnx is None or not any(isinstance(x, nnx.Module | nnx.Optimizer) for x in states):
        return function, states
    graph, state = nnx.split(states)

    def step(state: Any, *batch: Any) -> Any:
        objects = nnx.merge(graph, state)
        results = function(*objects, *batch)
        return nnx.state(objects), results

    return step, (state,)


def _split(result: Any, states: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """What a step returns: the rest, and the new states.

    Raises:
        TypeError: one of the states is not returned.
    """
    parts = list(result) if _is_tuple(result) else [result]
    new = []
    for n, state in enumerate(states):
        shape = _shape(state)
        if not any(_shape(part) == shape for part in parts):
            parts = [x for part in parts for x in (part if _is_tuple(part) else [part])]
        at = next((k for k, part in enumerate(parts) if _shape(part) == shape), None)
        if at is None:
            raise TypeError(
                f"the step of JAX returns nothing like its state {n + 1} of {len(states)}: let it "
                "return each state after the step, in the same containers"
            )
        new.append(parts.pop(at))
    return parts, new


def _is_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and not hasattr(value, "_fields")


def _shape(tree: Any) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    return structure, [np.shape(leaf) if not is_key(leaf) else leaf.shape for leaf in leaves]
