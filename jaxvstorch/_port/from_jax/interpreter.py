"""Traces a call to a jaxpr, and runs it operation by operation in JAX and in PyTorch."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial, wraps
from itertools import islice
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.jax import traces
from jaxvstorch._frameworks.installed import import_path, is_instrument
from jaxvstorch._frameworks.jaxprs import (
    finish_scan,
    finish_while,
    scan_sizes,
    where_going,
)
from jaxvstorch._port.from_jax.equation import (
    GENERATOR,
    OUT_OF_RANGE,
    REPEATED,
    SIGNED,
    judge_equation,
)
from jaxvstorch._port.from_jax.translation import accumulated, in_torch, jax_name
from jaxvstorch._port.outcome import Outcome
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus

_ARRAYS = (jax.Array, np.ndarray, np.generic)
_LIBRARIES = ("jax", "jaxlib", "flax", "optax", "equinox", "numpy")
_LOOPING = ("scan", "while_loop", "fori_loop", "map", "cond", "switch")
# Devices and memory, which no line of the reader's names.
_SILENT = ("create_token", "dce_sink", "empty", "empty2", "platform_index")
_WORST = (
    PortStatus.DIFFERS,
    PortStatus.FAILED,
    PortStatus.UNKNOWN,
    PortStatus.ANOTHER_WAY,
    PortStatus.RANDOM,
    PortStatus.VERIFIED,
)
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "eval_jaxpr",
          "custom_jvp_call", "custom_vjp_call")  # fmt: skip
_HIGH = "call_hi_primitive"  # a function of JAX that is one operation until it is lowered (0.12)
_LOOPS = {
    "scan": "a Python `for` loop, which torch.compile unrolls",
    "while": "a Python `while` loop; if it depends on values, torch.compile breaks the graph there",
    "cond": "a Python `if`; if it depends on values, torch.compile breaks the graph there; "
    "`torch.cond` is a prototype",
}


def trace(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
    """The jaxpr of a call, and the arrays that it takes.

    Python's numbers, flags and functions stay as they are, whether they are arguments or part of
    one, such as a module of equinox. Only the arrays among the results are kept.
    """
    function, args = _with_module(function, args)
    leaves, tree = jax.tree.flatten((args, kwargs))
    arrays = [leaf for leaf in leaves if isinstance(leaf, _ARRAYS)]

    @wraps(function)  # an error names it
    def of_arrays(*tracers: Any) -> list[Any]:
        rest = iter(tracers)
        merged = [next(rest) if isinstance(leaf, _ARRAYS) else leaf for leaf in leaves]
        args, kwargs = jax.tree.unflatten(tree, merged)
        results = jax.tree.leaves(function(*args, **kwargs))
        return [leaf for leaf in results if isinstance(leaf, _ARRAYS)]

    try:
        return jax.make_jaxpr(of_arrays)(*arrays), arrays
    except Exception as error:
        if "trace level" in str(error):  # flax's words
            error.add_note("port traces the function: pass the module to it as an argument")
        raise


def _with_module(function: Callable[..., Any], args: Any) -> tuple[Callable[..., Any], Any]:
    """A function that takes its flax module as an argument, so that its state can change."""
    nnx = sys.modules.get("flax.nnx")
    owner = getattr(function, "__self__", function)
    if nnx is None or not isinstance(owner, nnx.Module):
        return function, args
    if owner is not function:
        return function.__func__, (owner, *args)  # type: ignore[attr-defined]
    return lambda module, *args, **kwargs: module(*args, **kwargs), (owner, *args)


class Interpreter:
    """Runs the jaxpr of one function on one call's values, and reports by source line.

    Args:
        limit: how often one operation of the jaxpr is done again, and how many steps of a loop are
            walked; JAX runs the rest as one.
        location: where the function was passed to port, for operations that have no other line.
    """

    def __init__(self, limit: int, location: Location) -> None:
        self.limit = limit
        self.location = location
        self.report = PortReport("jax")
        self._times: Counter[int] = Counter()
        self._operations = 0
        self._steps: Counter[int] = Counter()  # of each loop, walked
        self._in_a_step: dict[int, int] = {}  # the operations of a loop's last walked step
        self._outcomes: dict[Location, list[tuple[str, Outcome]]] = {}

    def run(self, closed: Any, arguments: Sequence[Any]) -> list[Any]:
        """The results of the jaxpr for these arguments, in JAX."""
        results = self._run_jaxpr(closed.jaxpr, closed.consts, arguments, None)
        for location, outcomes in self._outcomes.items():
            self._report(location, outcomes)
        return results

    def _report(self, location: Location, named: list[tuple[str, Outcome]]) -> None:
        """Report one call of the source, by the operations that it became."""
        name = jax_name(location) or ", ".join(dict.fromkeys(name for name, _ in named))
        outcomes = [outcome for _, outcome in named]
        if "." in name and name.rpartition(".")[2] not in _LOOPING:
            # The reader did not write the loops and dtypes inside a library's function.
            outcomes = [o for o in outcomes if o.note not in _LOOPS.values()] or outcomes
            outcomes = [o._replace(note="") if o.note.startswith(SIGNED) else o for o in outcomes]
        worst = min((o.status for o in outcomes), key=_WORST.index)
        notes = dict.fromkeys(o.note for o in outcomes if o.status == worst and o.note)
        gap = max((o.gap for o in outcomes if o.gap is not None), default=None)
        if name.startswith("jax.random."):
            worst, notes, gap = PortStatus.RANDOM, dict.fromkeys([GENERATOR]), None
        elif name.startswith("x.at[") and name != "x.at[i].get":
            notes |= dict.fromkeys(["PyTorch changes its array: clone it first to keep it"])
        if not name.startswith("x.at["):
            notes.pop(REPEATED, None)
        becomes = in_torch(location)
        if OUT_OF_RANGE in notes:
            becomes = None
        elif REPEATED in notes:
            becomes = accumulated(location)
        self.report.add(location, PortCall(name, becomes, worst, "; ".join(notes), gap))

    def _run_jaxpr(
        self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any], at: Location | None
    ) -> list[Any]:
        values: dict[Any, Any] = {}

        def read(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else values[atom]

        values.update(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, arguments, strict=True))
        for eqn in jaxpr.eqns:
            results = self._run_equation(eqn, [read(atom) for atom in eqn.invars], at)
            values.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _run_equation(self, eqn: Any, inputs: list[Any], at: Location | None) -> list[Any]:
        location = at or _location(eqn) or self.location
        name = eqn.primitive.name
        if name in _LOOPS:
            if not eqn.params.get("branches_platforms"):
                self._record(location, name, Outcome(PortStatus.ANOTHER_WAY, _LOOPS[name]))
            return self._run_loop(eqn, inputs, at)
        if name in _SILENT:
            return _results(eqn, inputs)
        if name == "custom_linear_solve":
            lengths, solve = eqn.params["const_lengths"], eqn.params["jaxprs"].solve
            begin = lengths.matvec + lengths.vecmat
            arguments = [*inputs[begin : begin + lengths.solve], *inputs[sum(lengths) :]]
            return self._run_jaxpr(solve.jaxpr, solve.consts, arguments, location)
        if name == _HIGH:
            lower = jax.make_jaxpr(partial(eqn.primitive.to_lojax, **eqn.params))(*inputs)
            return self._run_jaxpr(lower.jaxpr, lower.consts, inputs, location)
        if name in _CALLS:
            closed = eqn.params.get("jaxpr") or eqn.params["call_jaxpr"]
            jaxpr, consts = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
            # JAX may have traced its own function for another line. Equinox wraps the
            # reader's function.
            file = jaxpr.debug_info.func_filename or ""
            of_jax = _installed(file) and _package(file) != "equinox"
            return self._run_jaxpr(jaxpr, consts, inputs, location if of_jax else at)
        results = _results(eqn, inputs)
        self._operations += 1
        self._times[id(eqn)] += 1
        if self._times[id(eqn)] > self.limit:
            self.report.beyond += 1
        else:
            self._record(location, name, judge_equation(eqn, inputs, results))
        return results

    def _record(self, location: Location, name: str, outcome: Outcome) -> None:
        self._outcomes.setdefault(location, []).append((name, outcome))

    def _run_loop(self, eqn: Any, inputs: list[Any], at: Location | None) -> list[Any]:
        """Run a loop or a branch in Python."""
        params = eqn.params
        if eqn.primitive.name == "cond":
            index = min(max(int(inputs[0]), 0), len(params["branches"]) - 1)
            branch = params["branches"][index]
            return self._run_jaxpr(branch.jaxpr, branch.consts, inputs[1:], at)
        run = self._run_while if eqn.primitive.name == "while" else self._run_scan
        return run(eqn, inputs, at)

    def _run_while(self, eqn: Any, inputs: list[Any], at: Location | None) -> list[Any]:
        params = eqn.params
        n, m = params["cond_nconsts"], params["body_nconsts"]
        test, body, carry = params["cond_jaxpr"], params["body_jaxpr"], inputs[n + m :]
        while self._steps[id(eqn)] < self.limit:
            (going,) = self._run_jaxpr(test.jaxpr, test.consts, [*inputs[:n], *carry], at)
            if not np.any(going):
                return carry
            new = self._walk(eqn, body, [*inputs[n : n + m], *carry], at)
            # In a batch, elements whose loop has ended keep their values.
            carry = [where_going(going, a, b) for a, b in zip(new, carry, strict=True)]
        carry, steps = finish_while(eqn, inputs[: n + m], carry)
        self._leave_out(eqn, steps)
        return carry

    def _run_scan(self, eqn: Any, inputs: list[Any], at: Location | None) -> list[Any]:
        body, (n, m) = eqn.params["jaxpr"], scan_sizes(eqn.params)
        consts, carry, xs = inputs[:n], inputs[n : n + m], inputs[n + m :]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        done = min(length, self.limit - self._steps[id(eqn)])
        ys: list[list[Any]] = []
        for step in range(done):
            arguments = [*consts, *carry, *(x[length - 1 - step if reverse else step] for x in xs)]
            results = self._walk(eqn, body, arguments, at)
            carry, ys = results[:m], [*ys, results[m:]]
        self._leave_out(eqn, length - done)
        return finish_scan(eqn, consts, carry, xs, ys)

    def _walk(self, loop: Any, body: Any, inputs: list[Any], at: Location | None) -> list[Any]:
        """The results of one step of a loop."""
        before = self._operations
        results = self._run_jaxpr(body.jaxpr, body.consts, inputs, at)
        self._steps[id(loop)] += 1
        self._in_a_step[id(loop)] = self._operations - before
        return results

    def _leave_out(self, loop: Any, steps: int) -> None:
        """Count the operations of a loop's steps that are not walked."""
        operations = steps * self._in_a_step.get(id(loop), 0)
        self._operations += operations
        self.report.beyond += operations


def _results(eqn: Any, inputs: list[Any]) -> list[Any]:
    """The equation's results in JAX."""
    results = eqn.primitive.bind(*inputs, **eqn.params)
    return list(results) if eqn.primitive.multiple_results else [results]


def _location(eqn: Any) -> Location | None:
    """The innermost location on the stack of an equation that is in no library."""
    for code, instruction in reversed(traces.raw_frames(eqn.source_info.traceback)):
        file = code.co_filename
        if file.startswith("<frozen") or _installed(file):
            continue
        position = next(islice(code.co_positions(), instruction, None), None)
        if position is None or position[0] is None:
            return Location(file, code.co_firstlineno)
        return Location(file, position[0], *position[1:])
    return None


def _installed(file: str) -> bool:
    """Whether a file is a library's, or this package's."""
    return _package(file) in _LIBRARIES or is_instrument(file)


def _package(file: str) -> str:
    """The name of the installed package that a file belongs to."""
    _, parts = import_path(file) or ("", ("",))
    return parts[0]
