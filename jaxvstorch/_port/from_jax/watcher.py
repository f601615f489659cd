"""What becomes of the calls of the reader's code while JAX traces it: each leaves a mark."""

import ast
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax

from jaxvstorch._port.filling import node_at
from jaxvstorch._port.from_jax.layers import CALLING, applied, is_layer, method_name, weights_of
from jaxvstorch._port.from_jax.marks import mark
from jaxvstorch._port.from_jax.names import (
    DERIVATIVES,
    derivative_name,
    is_of_library,
    name_of,
    optimizer_name,
)
from jaxvstorch._port.from_jax.watching import SITES
from jaxvstorch._port.map.rows import jax_rows
from jaxvstorch._port.report_data import Location

_BINARY: dict[Any, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_IN_PLACE: dict[Any, Any] = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul,
    ast.Div: operator.itruediv, ast.FloorDiv: operator.ifloordiv, ast.Mod: operator.imod,
    ast.Pow: operator.ipow, ast.MatMult: operator.imatmul, ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior, ast.BitXor: operator.ixor, ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
}  # fmt: skip


# They call the functions that they are given.
_TRANSFORMATIONS = (
    "jax.checkpoint", "jax.grad", "jax.jit", "jax.jvp", "jax.tree.map", "jax.value_and_grad",
    "jax.vjp", "jax.vmap", "lax.cond", "lax.fori_loop", "lax.map", "lax.scan", "lax.switch",
)  # fmt: skip
_INITIALIZERS = "jax.nn.initializers."


@dataclass(frozen=True)
class Slot:
    """Stands for an array of a call, whose values an interpreter of the jaxpr has."""

    number: int


@dataclass(eq=False)
class WatchedCall:
    """One call of the reader's.

    Attributes:
        location: in the reader's file.
        name: of what is called, in the map; ``operator``, ``index`` or ``.T`` where it is that.
        function: what is called.
        args: positional arguments, with a ``Slot`` for each traced array.
        kwargs: named arguments, likewise.
        weights: a layer's, likewise.
        result: likewise.
        whole: whether PyTorch can do it as one call; another only has a name.
        is_written: whether its arguments stand at the location; they do not where a
            transformation of JAX's calls a function, as ``jax.vmap`` does.
        skipped: how many of the arguments at the location are no inputs, such as the variables that
            ``layer.apply`` takes.
        made: what made the function, if an initializer is called: arguments, and named ones.
        judge: gets the values at once, where the code runs and is not traced first.
    """

    location: Location
    name: str
    function: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    whole: bool = True
    is_written: bool = True
    skipped: int = 0
    made: tuple[Any, Any] | None = None
    judge: Callable[..., None] | None = None


def filled_in(value: Any, values: Sequence[Any]) -> Any:
    """Arguments or results with the values of their slots."""
    return mapped(value, lambda leaf: values[leaf.number] if isinstance(leaf, Slot) else leaf)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value, with each part that is in no list, tuple or dictionary changed."""
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, change) for item in value))
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*(mapped(item, change) for item in (value.start, value.stop, value.step)))
    return change(value)


class Watcher:
    """Marks the calls in a jaxpr that is being traced, and does what they do."""

    slice = slice
    judge: Callable[..., None] | None = None  # what each call hands its values to, if it runs

    def __init__(self) -> None:
        self._derivatives: dict[int, tuple[Any, str | None]] = {}  # that the code made, by ``id``
        self._initializers: dict[int, tuple[Any, str, Any]] = {}  # likewise, and how
        self._calling: list[Location] = []  # the reader's calls that have begun

    def call(self, site: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function; mark the call if the function is JAX's, or of a library of it."""
        location = SITES[site]
        if self._calling and is_of_library(location.file):  # a Sequential calls its layers
            return self.call_at(self._calling[-1], function, args, kwargs, is_written=False)
        return self.call_at(location, function, args, kwargs)

    def call_at(
        self, location: Location, function: Any, args: Any, kwargs: Any, is_written: bool = True
    ) -> Any:
        """Call a function, as a location does."""
        if type(function) is partial:
            args, kwargs = (*function.args, *args), function.keywords | kwargs
            is_written = is_written and not function.args
            return self.call_at(location, function.func, args, kwargs, is_written)
        owner: Any = getattr(function, "__self__", None)
        name = name_of(function)
        if isinstance(owner, jax.Array):  # whose methods have other names inside JAX
            name = f"Array.{getattr(getattr(node_at(location), 'func', None), 'attr', '')}"
            name = name if name in jax_rows() else None
        self._calling.append(location)
        try:
            if is_layer(function):
                call = WatchedCall(location, name or "", function, is_written=is_written)
                return self._layer(call, function, args, kwargs)
            if (method := method_name(function)) is not None:
                call = WatchedCall(location, method, owner, is_written=is_written)
                return self._layer(call, function, args, kwargs)
            if (layer := applied(function, args, kwargs)) is not None:
                call = WatchedCall(location, layer.name, owner, is_written=is_written)
                call.weights, call.skipped = dict(layer.weights), 1
                return self._layer(call, function, args, kwargs)
            if id(function) in self._initializers:
                _, drawn, made = self._initializers[id(function)]
                taken = _Taken(self.judge is not None)
                call = WatchedCall(location, drawn, function, taken(args), taken(kwargs), made=made)
                call.is_written = is_written
                return self._marked(call, taken, function(*args, **kwargs))
            passed = tuple(map(self._watched, args)) if name in _TRANSFORMATIONS else args
            _, other = self._derivatives.get(id(function), (None, None))
            other = other or derivative_name(function) or optimizer_name(function)
            if (name is None or name.endswith(CALLING)) and other is None:
                return function(*args, **kwargs)
            taken = _Taken(self.judge is not None)
            call = WatchedCall(location, other or name or "", function)
            call.whole, call.is_written = other is None, is_written
            if (name or "").startswith("Array.at."):
                call.args = taken((owner.array, owner.index, *args))
            else:
                call.args = taken((owner, *args) if isinstance(owner, jax.Array) else args)
            call.kwargs = taken(kwargs)
            if other is not None and not taken.arrays:  # as in a module of flax
                taken(jax.tree.leaves((args, kwargs)))
            result = function(*passed, **kwargs)
            if (name or "").rpartition(".")[2] in DERIVATIVES:
                self._derivatives[id(result)] = result, name
            if (name or "").startswith(_INITIALIZERS) and callable(result):
                self._initializers[id(result)] = result, name or "", (args, kwargs)
            return self._marked(call, taken, result)
        finally:
            self._calling.pop()

    def _layer(self, call: WatchedCall, function: Any, args: Any, kwargs: Any) -> Any:
        taken = _Taken(self.judge is not None)
        call.args, call.kwargs = taken(args[call.skipped :]), taken(kwargs)
        call.weights = taken(call.weights or weights_of(call.function))
        result = function(*args, **kwargs)
        if not call.weights:  # those of linen are there when it was called
            call.weights = taken(weights_of(call.function))
        if call.skipped and kwargs.get("mutable"):  # the new state too
            return self._marked(call, taken, result[0]), result[1]
        return self._marked(call, taken, result)

    def _watched(self, function: Any) -> Any:
        """A function of JAX, or a layer, whose calls by a transformation are marked."""
        if not callable(function) or (name_of(function) is None and not is_layer(function)):
            return function

        wrapped_at = self._calling[-1]

        def call(*args: Any, **kwargs: Any) -> Any:
            location = self._calling[-1] if self._calling else wrapped_at
            return self.call_at(location, function, args, kwargs, is_written=False)

        return call

    def operator(self, site: int, *operands: Any) -> Any:
        """Do an operator or an index, and mark it."""
        node, taken = node_at(SITES[site]), _Taken(self.judge is not None)
        op = getattr(node, "op", None) or getattr(node, "ops", [None])[0]
        function: Any = _BINARY.get(type(op), operator.getitem)
        if isinstance(node, ast.AugAssign) and not isinstance(operands[0], jax.Array):
            return _IN_PLACE[type(op)](*operands)
        if function is operator.getitem and isinstance(operands[0], tuple | list | dict):
            return function(*operands)
        name = "index" if function is operator.getitem else "operator"
        call = WatchedCall(SITES[site], name, function, taken(operands))
        return self._marked(call, taken, function(*operands))

    def iterate(self, site: int, values: Any) -> Any:
        """What a loop runs over; mark the rows of an array."""
        if not isinstance(values, jax.core.Tracer):
            return values
        taken = _Taken(self.judge is not None)
        return self._marked(
            WatchedCall(SITES[site], "iter", iter, taken((values,))), taken, [*values]
        )

    def attribute(self, site: int, owner: Any) -> Any:
        """Read an attribute, such as ``x.T``, and mark that."""
        node, taken = node_at(SITES[site]), _Taken(self.judge is not None)
        attribute = getattr(node, "attr", "T")
        call = WatchedCall(
            SITES[site], f".{attribute}", operator.attrgetter(attribute), taken((owner,))
        )
        return self._marked(call, taken, getattr(owner, attribute))

    def _marked(self, call: WatchedCall, taken: "_Taken", result: Any) -> Any:
        """The result, whose arrays come from a mark of the call."""
        inputs = list(taken.arrays)
        call.judge = self.judge
        nnx, equinox = (sys.modules.get(name) for name in ("flax.nnx", "equinox"))
        if nnx is not None and isinstance(result, nnx.Variable):
            return result  # a new one, which the program keeps
        if equinox is not None and isinstance(result, equinox.Module):
            leaves, tree = jax.tree.flatten(result)
            return jax.tree.unflatten(tree, self._marked(call, taken, leaves))
        call.result = taken(result)
        results = taken.arrays[len(inputs) :]
        if not results and (call.whole or not inputs):
            return result  # it computes nothing
        marked = mark(call, inputs, results)
        return filled_in(call.result, [*inputs, *marked])


class _Taken:
    """Replaces traced arrays by slots, and others where the code runs; keeps the arrays."""

    def __init__(self, concrete: bool) -> None:
        self.arrays: list[Any] = []
        self._types: Any = (jax.core.Tracer, jax.Array) if concrete else jax.core.Tracer

    def __call__(self, value: Any) -> Any:
        return mapped(value, self._slot)

    def _slot(self, leaf: Any) -> Any:
        nnx = sys.modules.get("flax.nnx")
        if nnx is not None and isinstance(leaf, nnx.Variable):
            leaf = leaf[...]
        if not isinstance(leaf, self._types):
            return leaf
        self.arrays.append(leaf)
        return Slot(len(self.arrays) - 1)
