"""Runs a jaxpr operation by operation in JAX and in PyTorch, and so each call of the reader's."""

import ast
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxvstorch._frameworks.jaxprs import (
    finish_scan,
    finish_while,
    scan_sizes,
    where_going,
)
from jaxvstorch._port.from_jax.calls import Judgement, judge_call
from jaxvstorch._port.from_jax.equation import REPEATED, judge_equation
from jaxvstorch._port.from_jax.marks import elements, mark_p
from jaxvstorch._port.from_jax.names import is_of_library, package_of
from jaxvstorch._port.from_jax.spelling import Spelling
from jaxvstorch._port.from_jax.tracing import location_of
from jaxvstorch._port.from_jax.watcher import WatchedCall
from jaxvstorch._port.from_jax.wording import LOOPS, worded
from jaxvstorch._port.outcome import Outcome
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortStatus

# Devices and memory, which no line of the reader's names.
_SILENT = ("create_token", "dce_sink", "empty", "empty2", "platform_index")
_AT_ONE_LOCATION = 64  # calls that are done again, such as those of a Python loop
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "eval_jaxpr",
          "custom_jvp_call", "custom_vjp_call")  # fmt: skip
_HIGH = "call_hi_primitive"  # a function of JAX that is one operation until it is lowered (0.12)


class Interpreter:
    """Runs the jaxpr of one function on one call's values, and reports by source line.

    Args:
        limit: how often one operation of the jaxpr is done again, and how many steps of a loop are
            walked; JAX runs the rest as one.
        location: where the function was passed to port, for operations that have no other line.
    """

    def __init__(self, limit: int, location: Location) -> None:
        self.limit = limit
        self._around = [location]  # where each jaxpr that runs was called
        self.report = PortReport("jax")
        self._times: Counter[int] = Counter()
        self._operations = 0
        self._steps: Counter[int] = Counter()  # of each loop, walked
        self._in_a_step: dict[int, int] = {}  # the operations of a loop's last walked step
        self._outcomes: dict[Location, list[tuple[str, Outcome]]] = {}
        self._spelled: dict[Location, Spelling] = {}
        self._judged: dict[Location, list[tuple[WatchedCall, Judgement]]] = {}
        self._known: dict[Location, ast.expr] = {}

    def run(self, closed: Any, arguments: Sequence[Any]) -> list[Any]:
        """The results of the jaxpr for these arguments, in JAX."""
        results = self._run_jaxpr(closed.jaxpr, closed.consts, arguments, None)
        for location, outcomes in self._outcomes.items():
            written = self._spelled[location].lines if location in self._spelled else []
            for call in worded(outcomes, self._judged.get(location, []), written):
                self.report.add(location, call)
        return results

    def _judge(self, eqn: Any, values: list[Any]) -> list[Any]:
        """Do a marked call of the reader's in PyTorch; the results that JAX got."""
        call: WatchedCall = eqn.params["call"]
        judged = self._judged.setdefault(call.location, [])
        outcomes = self._outcomes.setdefault(call.location, [])
        repeated = any(REPEATED in outcome.note for _, outcome in outcomes)
        for one in elements(values, eqn.params["batched"], self.limit):
            if self._times[id(call)] >= self.limit or len(judged) >= _AT_ONE_LOCATION:
                break
            self._times[id(call)] += 1
            judgement = judge_call(call, one, self._known, repeated)
            judged.append((call, judgement))
            if judgement.nested is not None and call.is_written:
                self._known[call.location] = judgement.nested
        return values[eqn.params["count"] :]

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
        if eqn.primitive is mark_p:
            return self._judge(eqn, inputs)
        location = at or location_of(eqn) or self._around[-1]
        name = eqn.primitive.name
        if name in _SILENT:
            return _results(eqn, inputs)
        if name in (*LOOPS, *_CALLS, _HIGH, "custom_linear_solve"):
            self._around.append(location)
            try:
                return self._run_inside(eqn, inputs, at, location)
            finally:
                self._around.pop()
        results = _results(eqn, inputs)
        self._operations += 1
        self._times[id(eqn)] += 1
        if self._times[id(eqn)] > self.limit:
            self.report.beyond += 1
        else:
            first = self._times[id(eqn)] == 1
            spelling = self._spelled.setdefault(location, Spelling()) if first else None
            self._record(location, name, judge_equation(eqn, inputs, results, spelling))
        return results

    def _run_inside(
        self, eqn: Any, inputs: list[Any], at: Location | None, location: Location
    ) -> list[Any]:
        """Run an operation that has a jaxpr of its own."""
        name = eqn.primitive.name
        if name in LOOPS:
            if not eqn.params.get("branches_platforms"):
                self._record(location, name, Outcome(PortStatus.ANOTHER_WAY, LOOPS[name]))
            return self._run_loop(eqn, inputs, at)
        if name == "custom_linear_solve":
            lengths, solve = eqn.params["const_lengths"], eqn.params["jaxprs"].solve
            begin = lengths.matvec + lengths.vecmat
            arguments = [*inputs[begin : begin + lengths.solve], *inputs[sum(lengths) :]]
            return self._run_jaxpr(solve.jaxpr, solve.consts, arguments, location)
        if name == _HIGH:
            lower = jax.make_jaxpr(partial(eqn.primitive.to_lojax, **eqn.params))(*inputs)
            return self._run_jaxpr(lower.jaxpr, lower.consts, inputs, location)
        closed = eqn.params.get("jaxpr") or eqn.params["call_jaxpr"]
        jaxpr, consts = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
        # JAX may have traced its own function for another line. Equinox wraps the reader's.
        file = jaxpr.debug_info.func_filename or ""
        of_jax = is_of_library(file) and package_of(file) != "equinox"
        return self._run_jaxpr(jaxpr, consts, inputs, location if of_jax else at)

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
    params = eqn.primitive.get_bind_params(eqn.params)
    results = eqn.primitive.bind(*inputs, **params)
    return list(results) if eqn.primitive.multiple_results else [results]
