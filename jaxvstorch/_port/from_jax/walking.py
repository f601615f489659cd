"""Runs a jaxpr operation by operation, in JAX and in PyTorch on the same values."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.jax import traces
from jaxvstorch._frameworks.installed import import_path, is_instrument
from jaxvstorch._port.agreeing import Judged
from jaxvstorch._port.from_jax.backwards import accumulated, in_torch, jax_name
from jaxvstorch._port.from_jax.parting import OUTSIDE, TWICE
from jaxvstorch._port.from_jax.trying import GENERATOR, SIGNED, tried
from jaxvstorch._port.report import Place, PortCall, PortReport, PortStatus

_LIBRARIES = ("jax", "jaxlib", "flax", "optax", "equinox", "numpy")
_LOOPING = ("scan", "while_loop", "fori_loop", "map", "cond", "switch")
# Which device, which memory: nothing of the reader's.
_SILENT = ("create_token", "dce_sink", "empty", "empty2", "platform_index")
_WORST = (
    PortStatus.DIFFERS,
    PortStatus.FAILED,
    PortStatus.UNKNOWN,
    PortStatus.OTHERWISE,
    PortStatus.RANDOM,
    PortStatus.VERIFIED,
)
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "custom_jvp_call",
          "custom_vjp_call")  # fmt: skip
_LOOPS = {
    "scan": "a Python `for` loop, which torch.compile unrolls",
    "while": "a Python `while` loop, which torch.compile breaks at where it depends on values",
    "cond": "a Python `if`, which torch.compile breaks at where it depends on values; `torch.cond` "
    "is a prototype",
}


class Walk:
    """One function's jaxpr, on one call's values.

    Args:
        limit: how often one operation of the jaxpr is done again; loops come to it more often.
        given: the line that gave the function, for operations that no line of the reader's calls.
    """

    def __init__(self, limit: int, given: Place) -> None:
        self.limit = limit
        self.given = given
        self.report = PortReport("jax")
        self._seen: Counter[int] = Counter()
        self._found: dict[Place, list[tuple[str, Judged]]] = {}

    def run(self, closed: Any, arguments: Sequence[Any]) -> list[Any]:
        """What the jaxpr gives for these arguments, in JAX."""
        results = self._jaxpr(closed.jaxpr, closed.consts, arguments, None)
        for place, several in self._found.items():
            self._add(place, several)
        return results

    def _add(self, place: Place, several: list[tuple[str, Judged]]) -> None:
        """One call of the source, by the operations that it became."""
        name = jax_name(place) or ", ".join(dict.fromkeys(name for name, _ in several))
        judged = [one for _, one in several]
        if "." in name and name.rpartition(".")[2] not in _LOOPING:
            # The loops and the dtypes inside a library's function are none of the reader's.
            judged = [one for one in judged if one.note not in _LOOPS.values()] or judged
            judged = [j._replace(note="") if j.note.startswith(SIGNED) else j for j in judged]
        worst = min((one.status for one in judged), key=_WORST.index)
        notes = dict.fromkeys(one.note for one in judged if one.status == worst and one.note)
        gap = max((one.gap for one in judged if one.gap is not None), default=None)
        if name.startswith("jax.random."):
            worst, notes, gap = PortStatus.RANDOM, dict.fromkeys([GENERATOR]), None
        elif name.startswith("x.at[") and name != "x.at[i].get":
            notes |= dict.fromkeys(["PyTorch changes its array: clone it first to keep it"])
        if not name.startswith("x.at["):
            notes.pop(TWICE, None)
        becomes = in_torch(place)
        if OUTSIDE in notes:
            becomes = None
        elif TWICE in notes:
            becomes = accumulated(place)
        self.report.add(place, PortCall(name, becomes, worst, "; ".join(notes), gap))

    def _jaxpr(
        self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any], at: Place | None
    ) -> list[Any]:
        values: dict[Any, Any] = {}

        def read(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else values[atom]

        values.update(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, arguments, strict=True))
        for eqn in jaxpr.eqns:
            results = self._equation(eqn, [read(atom) for atom in eqn.invars], at)
            values.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, eqn: Any, inputs: list[Any], at: Place | None) -> list[Any]:
        place = at or _place(eqn) or self.given
        name = eqn.primitive.name
        if name in _LOOPS:
            if not eqn.params.get("branches_platforms"):
                self._note(place, name, Judged(PortStatus.OTHERWISE, _LOOPS[name]))
            return self._loop(eqn, inputs, at)
        if name in _SILENT:
            return _bound(eqn, inputs)
        if name == "custom_linear_solve":
            lengths, solve = eqn.params["const_lengths"], eqn.params["jaxprs"].solve
            before = lengths.matvec + lengths.vecmat
            given = [*inputs[before : before + lengths.solve], *inputs[sum(lengths) :]]
            return self._jaxpr(solve.jaxpr, solve.consts, given, place)
        if name in _CALLS:
            closed = eqn.params.get("jaxpr") or eqn.params["call_jaxpr"]
            jaxpr, consts = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
            # A function of JAX's own may have been traced for another line. Equinox wraps the
            # reader's function in one of its own.
            file = jaxpr.debug_info.func_filename or ""
            of_jax = _installed(file) and _package(file) != "equinox"
            return self._jaxpr(jaxpr, consts, inputs, place if of_jax else at)
        results = _bound(eqn, inputs)
        self._seen[id(eqn)] += 1
        if self._seen[id(eqn)] > self.limit:
            self.report.beyond += 1
        else:
            self._note(place, name, tried(eqn, inputs, results))
        return results

    def _note(self, place: Place, name: str, judged: Judged) -> None:
        self._found.setdefault(place, []).append((name, judged))

    def _loop(self, eqn: Any, inputs: list[Any], at: Place | None) -> list[Any]:
        """A loop or a branch, taken by Python."""
        params = eqn.params
        if eqn.primitive.name == "cond":
            index = min(max(int(inputs[0]), 0), len(params["branches"]) - 1)
            branch = params["branches"][index]
            return self._jaxpr(branch.jaxpr, branch.consts, inputs[1:], at)
        if eqn.primitive.name == "while":
            n, m = params["cond_nconsts"], params["body_nconsts"]
            test, body, carry = params["cond_jaxpr"], params["body_jaxpr"], inputs[n + m :]
            while True:
                (going,) = self._jaxpr(test.jaxpr, test.consts, [*inputs[:n], *carry], at)
                if not np.any(going):
                    return carry
                new = self._jaxpr(body.jaxpr, body.consts, [*inputs[n : n + m], *carry], at)
                # Of a batch, those that have come to their end keep what they have.
                carry = [_where(going, a, b) for a, b in zip(new, carry, strict=True)]
        n, m, body = params["num_consts"], params["num_carry"], params["jaxpr"]
        consts, carry, xs = inputs[:n], inputs[n : n + m], inputs[n + m :]
        steps = range(params["length"])
        out: dict[int, list[Any]] = {}
        for step in reversed(steps) if params["reverse"] else steps:
            given = [*consts, *carry, *(x[step] for x in xs)]
            results = self._jaxpr(body.jaxpr, body.consts, given, at)
            carry, out[step] = results[:m], results[m:]
        stacked = [jax.numpy.stack(column) for column in zip(*map(out.get, steps), strict=True)]
        return [*carry, *stacked]


def _where(going: Any, new: Any, old: Any) -> Any:
    if going.ndim == 0:
        return new
    return jax.numpy.where(going.reshape(going.shape + (1,) * (new.ndim - going.ndim)), new, old)


def _bound(eqn: Any, inputs: list[Any]) -> list[Any]:
    """The equation's results in JAX."""
    found = eqn.primitive.bind(*inputs, **eqn.params)
    return list(found) if eqn.primitive.multiple_results else [found]


def _place(eqn: Any) -> Place | None:
    """The innermost place on the stack of an equation that is in no library."""
    for code, place in reversed(traces.raw_frames(eqn.source_info.traceback)):
        file = code.co_filename
        if file.startswith("<frozen") or _installed(file):
            continue
        position = next(islice(code.co_positions(), place, None), None)
        if position is None or position[0] is None:
            return Place(file, code.co_firstlineno)
        return Place(file, position[0], *position[1:])
    return None


def _installed(file: str) -> bool:
    """Whether a file is a library's, or this package's."""
    return _package(file) in _LIBRARIES or is_instrument(file)


def _package(file: str) -> str:
    """The name of the installed package that a file belongs to."""
    _, parts = import_path(file) or ("", ("",))
    return parts[0]
