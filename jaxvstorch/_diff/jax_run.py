"""Records every array of a run in JAX: a jaxpr is run operation by operation, loops unrolled."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from types import CodeType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxvstorch._diff.readers_code import call, is_readers
from jaxvstorch._diff.recording import Array, Kind, Operand, Recording, SourceLine, Value
from jaxvstorch._diff.storage import ALIGNED
from jaxvstorch._explain.jax import traces
from jaxvstorch._frameworks.jaxprs import finish_scan, finish_while, scan_sizes, where_going

Visit = Callable[[Recording, Value], Array | None]
Entry = tuple[Any, int | None]  # an array, and the index of its value

STEPS = 1000  # of one loop that are looked at
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "eval_jaxpr",
          "custom_jvp_call", "custom_vjp_call", "custom_lin")  # fmt: skip
_RANDOM = ("random_bits", "rng_", "threefry2x32")
_HIGH = "call_hi_primitive"  # a function of JAX that is one operation until it is lowered (0.12)
_SPREAD = {"pmap", "shard_map", "xla_pmap"}  # over devices


class JaxRecorder:
    """Runs a jaxpr and records its values.

    Args:
        recording: to fill.
        visit: is told of each value, and may return other numbers for it.
        base: an earlier run, whose values before ``start`` are taken over without a visit.
        start: an index.
    """

    def __init__(
        self, recording: Recording, visit: Visit, base: Recording | None = None, start: int = 0
    ) -> None:
        self.recording, self.visit = recording, visit
        self._base, self._start = base, start if base is not None else 0
        self._steps: dict[int, int] = {}
        self._backward = False  # inside a call of the backward pass

    def run(
        self,
        closed: Any,
        arguments: Sequence[Any],
        kinds: Sequence[tuple[Kind, str]],
        convert: Callable[[Any], Any],
    ) -> list[int]:
        """Run; the indices of the outputs' values.

        ``convert`` gives an argument the dtype that it has in the run, once it is needed.
        """
        entries = [
            self._take_over() if self._is_known(1) else self._argument(array, kind, name, convert)
            for array, (kind, name) in zip(arguments, kinds, strict=True)
        ]
        outputs = self._run(closed.jaxpr, closed.consts, entries, (), whole=True)
        return [self._index(entry) for entry in outputs]

    def _argument(self, array: Any, kind: Kind, name: str, convert: Callable[[Any], Any]) -> Entry:
        converted = convert(array)
        return self._add(converted, kind, name, is_new=converted.dtype != array.dtype)

    def _index(self, entry: Entry) -> int:
        array, index = entry
        entry = entry if index is not None else self._add(array, Kind.CONSTANT, "", is_new=False)
        return entry[1]  # type: ignore[return-value]

    def _add(self, array: Any, kind: Kind, name: str, *, is_new: bool = True, **rest: Any) -> Entry:
        if self._is_known(1):
            return self._take_over()
        run, own = self.recording, _numpy(array)
        value = run.add(kind, own, name=name, **rest)
        if (other := self.visit(run, value)) is not None:
            moved = None if _is_shared(other) else run.storage.moved(other)
            array = jax_array(other if moved is None else moved)
        elif is_new and own.dtype == array.dtype and (moved := run.storage.moved(own)) is not None:
            run.values[value.index] = replace(run.values[value.index], array=moved)
            array = jax_array(moved)
        run.raw.append(array)
        return array, value.index

    def _is_known(self, count: int) -> bool:
        """Whether the next values are those of the earlier run."""
        return len(self.recording.values) + count <= self._start

    def _take_over(self) -> Entry:
        assert self._base is not None
        index = len(self.recording.values)
        self.recording.values.append(self._base.values[index])
        self.recording.raw.append(self._base.raw[index])
        return self._base.raw[index], index

    def _run(
        self,
        jaxpr: Any,
        consts: Sequence[Any],
        entries: Sequence[Entry],
        outer: tuple[SourceLine, ...],
        *,
        whole: bool = False,
    ) -> list[Entry]:
        """Run a jaxpr.

        Args:
            jaxpr: without its constants.
            consts: the constants.
            entries: its arguments.
            outer: the lines that led to the call of it.
            whole: whether it is the one that the run began with.
        """
        values: dict[Any, Entry] = {}

        def read(atom: Any) -> Entry:
            return (atom.val, None) if hasattr(atom, "val") else values[atom]

        for variable, const in zip(jaxpr.constvars, consts, strict=True):
            values[variable] = self._add(const, Kind.CONSTANT, "", is_new=False, stack=outer)
        values.update(zip(jaxpr.invars, entries, strict=True))
        start = _CALL if whole else traces.function_location(jaxpr)
        for eqn in jaxpr.eqns:
            stack = (*outer, *_lines(eqn, start))
            results = self._equation(eqn, [read(atom) for atom in eqn.invars], stack)
            values.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(
        self, eqn: Any, entries: list[Entry], stack: tuple[SourceLine, ...]
    ) -> list[Entry]:
        outside = self._backward
        self._backward = outside or "transpose(" in str(eqn.source_info.name_stack)
        try:
            return self._results(eqn, entries, stack)
        finally:
            self._backward = outside

    def _results(
        self, eqn: Any, entries: list[Entry], stack: tuple[SourceLine, ...]
    ) -> list[Entry]:
        name, params = eqn.primitive.name, eqn.params
        if name == "cond":
            index = min(max(int(entries[0][0]), 0), len(params["branches"]) - 1)
            branch = params["branches"][index]
            return self._run(branch.jaxpr, branch.consts, entries[1:], stack)
        if name == "while":
            return self._while(eqn, entries, stack)
        if name == "scan":
            return self._scan(eqn, entries, stack)
        if name == _HIGH:
            arrays = [array for array, _ in entries]
            lower = jax.make_jaxpr(partial(eqn.primitive.to_lojax, **params))(*arrays)
            return self._run(lower.jaxpr, lower.consts, entries, stack)
        if name in _SPREAD:
            raise TypeError(
                f"a side uses {name}, which diff does not run: pass the function inside it, with "
                "the inputs of one device"
            )
        if name in _CALLS:
            closed = params.get("jaxpr") or params.get("call_jaxpr")
            jaxpr, consts = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
            return self._run(jaxpr, consts, entries, stack)
        return self._operation(eqn, entries, stack)

    def _operation(
        self, eqn: Any, entries: list[Entry], stack: tuple[SourceLine, ...]
    ) -> list[Entry]:
        if self._is_known(len(eqn.outvars)):
            return [self._take_over() for _ in eqn.outvars]
        results = eqn.primitive.bind(*(array for array, _ in entries), **eqn.params)
        results = list(results) if eqn.primitive.multiple_results else [results]
        parents = tuple(index for _, index in entries if index is not None)
        operands = tuple(a if i is None else Operand(i) for a, i in entries)
        recorded = (eqn.primitive, operands, eqn.params)
        module = str(eqn.source_info.name_stack)
        return [
            self._add(
                result,
                Kind.RESULT,
                eqn.primitive.name,
                parents=parents,
                call=recorded,
                stack=stack,
                module=module,
                draws=eqn.primitive.name.startswith(_RANDOM),
                backward=self._backward,
                rounded_to=max((_rounded_to(a) for a, i in entries if i is None), default=0.0),
            )
            for result in results
        ]

    def _while(self, eqn: Any, entries: list[Entry], stack: tuple[SourceLine, ...]) -> list[Entry]:
        params = eqn.params
        n, m = params["cond_nconsts"], params["body_nconsts"]
        test, body, carry = params["cond_jaxpr"], params["body_jaxpr"], entries[n + m :]
        while self._steps.get(id(eqn), 0) < STEPS:
            ((going, _),) = self._run(test.jaxpr, test.consts, [*entries[:n], *carry], stack)
            if not np.any(going):
                return carry
            new = self._step(eqn, body, [*entries[n : n + m], *carry], stack)
            if np.ndim(going):  # in a batch, elements whose loop has ended keep their values
                new = [
                    self._add(
                        where_going(going, a, b),
                        Kind.RESULT,
                        "select_n",
                        parents=_known(i, j),
                        stack=stack,
                    )
                    for (a, i), (b, j) in zip(new, carry, strict=True)
                ]
            carry = new
        arrays, steps = finish_while(eqn, [a for a, _ in entries[: n + m]], [a for a, _ in carry])
        self.recording.left_out += steps
        parents = _known(*(i for _, i in carry))
        return [self._add(a, Kind.RESULT, "while", parents=parents, stack=stack) for a in arrays]

    def _scan(self, eqn: Any, entries: list[Entry], stack: tuple[SourceLine, ...]) -> list[Entry]:
        body, (n, m) = eqn.params["jaxpr"], scan_sizes(eqn.params)
        consts, carry, xs = entries[:n], entries[n : n + m], entries[n + m :]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        done = max(0, min(length, STEPS - self._steps.get(id(eqn), 0)))
        rows: list[list[Entry]] = []
        for step in range(done):
            at = length - 1 - step if reverse else step
            row = [
                self._take_over()
                if self._is_known(1)
                else self._add(x[at], Kind.RESULT, "x[i]", parents=_known(i), stack=stack)
                for x, i in xs
            ]
            results = self._step(eqn, body, [*consts, *carry, *row], stack)
            carry, rows = results[:m], [*rows, results[m:]]
        self.recording.left_out += length - done
        arrays = finish_scan(
            eqn,
            [a for a, _ in consts],
            [a for a, _ in carry],
            [a for a, _ in xs],
            [[a for a, _ in row] for row in rows],
        )
        columns = [_known(*(row[k][1] for row in rows)) for k in range(len(arrays) - m)]
        if done == length and done:
            stacked = zip(arrays[m:], columns, strict=True)
            return [
                *carry,
                *(self._add(a, Kind.RESULT, "stack", parents=p, stack=stack) for a, p in stacked),
            ]
        parents = [*[_known(*(i for _, i in carry))] * m, *columns]
        named = zip(arrays, parents, strict=True)
        return [self._add(a, Kind.RESULT, "scan", parents=p, stack=stack) for a, p in named]

    def _step(
        self, loop: Any, body: Any, entries: list[Entry], stack: tuple[SourceLine, ...]
    ) -> list[Entry]:
        self._steps[id(loop)] = self._steps.get(id(loop), 0) + 1
        return self._run(body.jaxpr, body.consts, entries, stack)


def _rounded_to(number: Any) -> float:
    """The ``eps`` of float32 if a number in the code, as ``np.float32(0.1)``, was rounded to it."""
    if np.ndim(number) or np.asarray(number).dtype != np.float64:
        return 0.0
    with np.errstate(over="ignore"):
        short, long = np.float32(number), float(number)
    return float(np.finfo(np.float32).eps) if short == long and float(str(short)) != long else 0.0


def _known(*indices: int | None) -> tuple[int, ...]:
    return tuple(i for i in indices if i is not None)


def _numpy(array: Any) -> Array:
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):  # a key
        array = jax.random.key_data(array)
    if array.dtype == jax.dtypes.float0:
        return np.zeros(0)
    return np.asarray(array)


def _is_shared(array: Array) -> bool:
    """Whether ``jax_array`` makes no copy."""
    return bool(array.flags.c_contiguous) and array.ctypes.data % ALIGNED == 0


def jax_array(array: Array) -> jax.Array:
    """An array of JAX in the memory of one of NumPy, which is not written again, if that fits."""
    shared: jax.Array = jax.device_put(array, may_alias=True)
    return shared


def _lines(eqn: Any, start: tuple[str, int] | None) -> list[SourceLine]:
    """The reader's lines that led to an equation, outermost first.

    Args:
        eqn: the equation.
        start: the function that was traced. Its trace may have been made for an earlier call, whose
            lines do not count; a library's own function has no line of the reader's below it.
    """
    frames = traces.raw_frames(eqn.source_info.traceback)
    begin = [n for n, (code, _) in enumerate(frames) if _location(code) == start]
    frames = frames[begin[-1] :] if begin else []
    return [_line(code, at) for code, at in frames if is_readers(code.co_filename)]


def _location(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno


_CALL = _location(call.__code__)


def _line(code: CodeType, instruction: int) -> SourceLine:
    position = next(islice(code.co_positions(), instruction, None), None)
    number = position[0] if position and position[0] else code.co_firstlineno
    return SourceLine(code.co_filename, number, code.co_qualname)
