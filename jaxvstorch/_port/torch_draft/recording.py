"""Runs a JAX program with its calls watched, and records what a draft in PyTorch needs."""

import ast
import builtins
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import jax

from jaxvstorch._port.filling import node_at
from jaxvstorch._port.from_jax.calls import Judgement, judge_call
from jaxvstorch._port.from_jax.layers import is_layer
from jaxvstorch._port.from_jax.marks import elements
from jaxvstorch._port.from_jax.names import derivative_name, layer_name, optimizer_name, package_of
from jaxvstorch._port.from_jax.watcher import WatchedCall, Watcher, mapped
from jaxvstorch._port.from_jax.watching import SITES, WATCHER
from jaxvstorch._port.from_jax.wording import name_of_call
from jaxvstorch._port.report_data import Location, PortCall, PortStatus
from jaxvstorch._port.torch_draft.calling import around, bound, in_jax, is_compiled, is_short_loop
from jaxvstorch._port.torch_draft.draws import Draw, recorded
from jaxvstorch._port.torch_draft.files import Program, is_of_the_run
from jaxvstorch._port.torch_draft.groups import Leaf, with_labels
from jaxvstorch._port.torch_draft.kinds import (
    MODULE,
    OPTIMIZER,
    PLAIN,
    Kinds,
    is_flax,
    is_module,
    number_of_keys,
)
from jaxvstorch._port.torch_draft.values import Frozen, freeze, weights

_AT_ONE_LOCATION = 2  # calls that are done again
_UNCOMPILED = 3  # calls of a compiled function that run line by line
_SILENT = ("VariableMeta", "RngStream", "Rngs")  # they compute nothing
_STEPS = 3  # calls of a function whose arguments are kept


@dataclass(eq=False)
class OwnCall:
    """A call of a function of the program, with what its values were."""

    name: str
    given: dict[str, Frozen]
    result: Frozen | None = None
    after: dict[str, Frozen] = field(default_factory=dict)
    updates: bool = False
    draws: list[Draw] = field(default_factory=list)
    gradients: Frozen | None = None  # that the optimizer got
    around: dict[str, Frozen] = field(default_factory=dict)  # what a function inside one reads


class Recording(Watcher):
    """What the run of a program showed.

    Attributes:
        known: the PyTorch of calls, by their locations.
        judged: the calls, each time that one was done again.
        made: the layer or module that a call made: its name, its arguments.
        kinds: of names, by the line of the function that they are in (0 is none) and the name.
        lengths: how many keys a name holds, likewise.
        calls: of the program's functions.
        arrays: for a call of a function of the program, which arguments are NumPy's.
        labels: of weights, by the call of optax that takes a mask or labels.
        values: of names, as `kinds`, where they are plain.
    """

    def __init__(self, file: str, module: str | None = None) -> None:
        super().__init__()
        self.judge = self._judge
        self.file = Path(file)
        self.program = Program(file, module)
        self.known: dict[Location, ast.expr] = {}
        self.judged: dict[Location, list[tuple[WatchedCall, Judgement]]] = {}
        self.made: dict[Location, list[tuple[str, Any, Any, Any]]] = {}
        self.inputs: dict[tuple[str, str], set[int]] = {}
        self.kinds: dict[tuple[int, str], set[str]] = {}
        self.lengths: dict[tuple[int, str], int] = {}
        self.calls: dict[str, list[OwnCall]] = {}
        self.arrays: dict[Location, tuple[Any, Any]] = {}
        self.labels: dict[Location, dict[Leaf, Any]] = {}
        self.values: dict[tuple[int, str], Any] = {}
        self.applied: dict[Location, tuple[str, Any]] = {}  # and the inputs
        self.own_calls: dict[Location, tuple[str, dict[str, Any]]] = {}
        self.kind = Kinds()
        self.makings: list[tuple[str, Any, Any, Any]] = []
        self.modules: dict[str, Any] = {}
        self._compiled = 0  # whether a compiled function is being traced
        self._runs: Counter[Any] = Counter()
        self._pending: list[OwnCall] = []

    @contextmanager
    def watching(self) -> Iterator[list[CodeType]]:
        """A block in which the program's calls are watched; yields its code, or its cells'."""
        setattr(builtins, WATCHER, self)
        sys.meta_path.insert(0, self.program)
        try:
            with recorded(self._drew):
                yield [*self.program.codes(self.program.main)]
        finally:
            sys.meta_path.remove(self.program)
            delattr(builtins, WATCHER)

    # What the program's code calls.

    def call(self, site: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self._compiled:
            return function(*args, **kwargs)
        return super().call(site, function, *args, **kwargs)

    def operator(self, site: int, *operands: Any) -> Any:
        self.judge = None if self._is_done(SITES[site]) else self._judge
        try:
            return super().operator(site, *operands)
        finally:
            self.judge = self._judge

    def attribute(self, site: int, owner: Any) -> Any:
        if self._is_done(SITES[site]) or not isinstance(owner, jax.Array):
            node: Any = node_at(SITES[site])
            return getattr(owner, node.attr)
        return super().attribute(site, owner)

    def call_at(
        self, location: Location, function: Any, args: Any, kwargs: Any, is_written: bool = True
    ) -> Any:
        """Call a function, and record what it is."""
        if package_of(getattr(getattr(function, "__code__", None), "co_filename", "")) == "optax":
            self.labels.setdefault(location, {})
            args, kwargs = with_labels(self.labels[location], args, kwargs)
        own = self._own(function)
        if own is not None:
            return self._call_own(location, own, function, args, kwargs)
        bare = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if bare in ("init", "init_with_output", "apply") and is_flax(owner, "linen"):
            self.applied[location] = bare, args[1:]
        if optimizer_name(function) or bare == "apply_gradients":
            for call in self._pending:
                call.updates = True
            if self._pending and not self._compiled:
                self._pending[-1].gradients = self._gradients(owner, args, kwargs)
        given = args[1:] if type(function).__name__.endswith("Cell") else args  # after its carry
        if is_flax(function, "linen") and given and hasattr(given[0], "shape"):
            key = (type(function.parent).__name__, f"{function.name}")
            self.inputs.setdefault(key, set()).add(given[0].shape[-1])
        if self._is_done(location):
            result = function(*args, **kwargs)
        else:
            with jax.disable_jit() if is_short_loop(function, args, kwargs) else nullcontext():
                result = super().call_at(location, function, args, kwargs, is_written)
        if bare == "init" and is_flax(owner, "linen"):
            self.kind.learn(result)
        if isinstance(function, type) and (name := layer_name(function)) is not None:
            self.made.setdefault(location, []).append((name, args, kwargs, result))
        return result

    def began(self, names: dict[str, Any]) -> None:
        """Keep the globals of a file of the program."""
        self.program.files[names["__name__"]].globals = names

    def entered(self, line: int, names: dict[str, Any]) -> None:
        """Note what a function's parameters hold."""
        for name, value in names.items():
            self.assigned(line, name, value)

    def assigned(self, line: int, name: str, value: Any) -> None:
        """Note what a name holds."""
        if not self._compiled:
            of = self.kind.of(value)
            self.kinds.setdefault((line, name), set()).add(of)
            if of == PLAIN:
                self.values[line, name] = value
            if (count := number_of_keys(value)) is not None:
                self.lengths[line, name] = count

    # What is recorded of it.

    def _drew(self, draw: Draw) -> None:
        for call in self._pending:
            call.draws.append(draw)

    def _is_done(self, location: Location) -> bool:
        return bool(self._compiled) or len(self.judged.get(location, ())) >= _AT_ONE_LOCATION

    def _judge(self, call: WatchedCall, values: Any, batched: Any) -> None:
        judged = self.judged.setdefault(call.location, [])
        if len(judged) >= _AT_ONE_LOCATION:
            return
        for one in elements(values, batched, 1):
            judgement = judge_call(call, one, self.known)
            judged.append((call, judgement))
            # A layer that is made where it is called becomes an attribute of its module.
            if judgement.nested is not None and call.is_written and not is_layer(call.function):
                self.known[call.location] = judgement.nested

    def _gradients(self, owner: Any, args: Any, kwargs: Any) -> Frozen | None:
        """The gradients that an optimizer got, as the weights are."""
        given = [*args, *kwargs.values()]
        if not given:
            return None
        value = given[-1] if self.kind.of(owner) == OPTIMIZER else given[0]
        with suppress(jax.errors.TracerArrayConversionError):
            frozen = freeze(value, self)
            return frozen if frozen.kind.startswith("tree") else Frozen(MODULE, weights(value))
        return None

    def _own(self, function: Any) -> str | None:
        """The name of a function, or class, or of the class of a module, of the program."""
        if isinstance(function, type):
            return self.program.in_draft(function) if is_of_the_run(function) else None
        if derivative_name(function):
            return None
        plain = getattr(function, "__func__", function)
        if is_compiled(plain):
            plain = inspect.unwrap(plain)
        code = getattr(plain, "__code__", None)
        if code is not None:
            file = self.program.of_source(code.co_filename)
            return None if file is None else file.in_draft(code.co_qualname)
        if is_of_the_run(type(function)):
            return f"{self.program.in_draft(type(function))}.__call__"
        return None

    def _call_own(self, at: Location, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        if isinstance(function, type):
            result = function(*args, **kwargs)
            self.made.setdefault(at, []).append((name, args, kwargs, result))
            self.makings.append((name, args, kwargs, result))
            self.modules[name] = function
            return result
        given = bound(function, args, kwargs)
        if is_module(function) and is_of_the_run(type(function)):
            given = {"self": function, **given}
        if at not in self.own_calls:
            self.own_calls[at] = name, given
        compiled = is_compiled(function)
        if compiled:
            self._runs[name] += 1
        if compiled and self._runs[name] > _UNCOMPILED:
            self._compiled += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._compiled -= 1
        if compiled:
            args, kwargs = (mapped(part, in_jax) for part in (args, kwargs))
        call = self._begun(name, given, function)
        try:
            with jax.disable_jit() if compiled else nullcontext():
                result = function(*args, **kwargs)
        finally:
            self._pending.pop()
        if any(call is kept for kept in self.calls.get(name, ())):
            try:
                call.result = freeze(result, self)
                call.after = {k: freeze(v, self) for k, v in given.items()}
            except jax.errors.TracerArrayConversionError:  # its gradient is taken
                self.calls[name].remove(call)
        return result

    def _begun(self, name: str, given: dict[str, Any], function: Any) -> OwnCall:
        call = OwnCall(name, {})
        if len(self.calls.get(name, ())) < _STEPS:
            with suppress(jax.errors.TracerArrayConversionError):  # inside a gradient
                call.given = {k: freeze(v, self) for k, v in given.items()}
                if "<locals>" in name:
                    call.around = {k: freeze(v, self) for k, v in around(function).items()}
                self.calls.setdefault(name, []).append(call)
        self._pending.append(call)
        return call

    def port_calls(self) -> Iterator[tuple[Location, PortCall]]:
        """The calls as the report has them."""
        for location, judged in self.judged.items():
            for call, judgement in judged[:1]:
                name = judgement.name or name_of_call(call)
                location = self.program.in_cell(location)
                outcome = judgement.outcome
                if name.rpartition(".")[2] in _SILENT:
                    continue
                if outcome is None:
                    another = judgement.why.startswith("in PyTorch, ")
                    status = PortStatus.ANOTHER_WAY if another else PortStatus.UNKNOWN
                    yield location, PortCall(name, None, status, judgement.why)
                else:
                    yield location, PortCall(name, judgement.becomes, *outcome)
