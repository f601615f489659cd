"""One line of the map.

A line is PyTorch's own call, with its defaults, and the JAX expression over the same names::

    torch.std(input, dim=None, *, correction=1, keepdim=False) => jnp.std(input, axis=dim, ...)

The line of a module, or of a function that makes one, calls it twice: to make it and to use it. A
constant's line calls nothing, and an attribute of a tensor is read from ``self``::

    torch.nn.Softmax(dim=None)(input) => jax.nn.softmax(input, axis=dim)
    torch.float32 => jnp.float32
    Tensor.ndim => self.ndim

A name that is another form of a name of the map is one word: ``Tensor.std = torch.std``. A name
without counterpart becomes ``nothing``. What may follow, each behind a semicolon:

``first``
    The JAX that people write first, which does something else.
``refused``
    Parameters whose default alone is translated, separated by commas.
``needless``
    Parameters that the expression satisfies whatever their value: JAX's sort is always stable.
``instead``
    Where there is no counterpart: what people do in JAX, as text.
``recipe``
    The module of ``recipes`` that does it in both frameworks.
``weights``
    What each parameter of the flax module is, of PyTorch's weights.
``plain``
    The same module as an expression over its arguments and PyTorch's weights.
``begins``
    What makes the flax module with which the weights begin as PyTorch's do: its further arguments,
    as a ``dict``.
``try``
    Arguments to try it on, as a list of tuples, where PyTorch has no samples of its own.

An expression uses the parameters, ``jax``, ``jnp``, ``lax``, ``nnx`` and ``optax``; ``paste``,
whose functions a reader can paste; ``key``, a random key; ``rngs``, flax's; ``lr``, the rate that a
schedule begins with; and ``w``, PyTorch's weights by their names in the module, such as ``w.bias``,
which is None where there is none.

The lines of ``rows/jax`` go the other way: JAX's call, with its defaults, and PyTorch's expression
over the same names::

    jnp.matmul(a, b) => torch.matmul(a, b)
    Array.T => self.T

Theirs use ``torch`` and ``paste``, which here is ``paste_torch``; ``generator``, where JAX takes a
key; ``params``, what an optimizer steps; ``optimizer``, which a schedule sets; and ``w``, flax's
weights.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

OPTIONS = (
    "first", "refused", "needless", "instead", "recipe", "weights", "plain", "begins", "try",
)  # fmt: skip
# Parameters that say where or how PyTorch keeps an array; JAX has none of them.
PLACEMENT = frozenset({
    "device", "layout", "memory_format", "non_blocking", "out", "pin_memory", "requires_grad",
    "generator", "names", "_stacklevel",
})  # fmt: skip
# Names of NumPy that PyTorch takes for its own.
_ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "x2": "other"}
_RECIPES = Path(__file__).with_name("recipes")
FREE = frozenset({"jax", "jnp", "lax", "nnx", "optax", "paste", "key", "lr", "rngs", "w"})
# The same of JAX's names: where an array is kept, how it is computed, what only checks.
PLACEMENT_IN_JAX = frozenset({
    "device", "donate", "may_alias", "out", "out_sharding", "precision", "preferred_element_type",
    "wrap_negative_indices", "indices_are_sorted", "unique_indices", "sharding", "src",
})  # fmt: skip
FREE_IN_PYTORCH = frozenset({
    "torch", "paste", "functools", "math", "generator", "params", "optimizer", "w",
})  # fmt: skip
KEYS = frozenset({"key", "rng", "rngs"})  # what a generator stands for
_OF_PYTORCH = frozenset({"torch", "Tensor", "Module", "Optimizer"})


class LineError(ValueError):
    """A line of the map is not written as it should be."""


@dataclass(frozen=True)
class Row:
    """What one name of PyTorch is in JAX, or one of JAX in PyTorch.

    Attributes:
        name: with its module, such as ``torch.gather``, ``Tensor.add_`` or ``jnp.sum``.
        made: the parameters it is called with, as in a ``lambda``; a constant has none.
        called: the parameters that a module is called with, once it is made.
        expression: in the other framework; none where there is no counterpart.
        form_of: the name of the map that this is another form of.
        options: what follows the expression, by name.
        attribute: whether it is an attribute of a tensor, which is not called.
    """

    name: str
    made: str | None = None
    called: str | None = None
    expression: str | None = None
    form_of: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    attribute: bool = False

    @property
    def framework(self) -> str:
        """Whose name it is: ``"jax"`` or ``"torch"``."""
        return "torch" if self.name.partition(".")[0] in _OF_PYTORCH else "jax"

    def option(self, name: str) -> str | None:
        """What the line says behind ``name:``, if anything."""
        return dict(self.options).get(name)

    @property
    def refused(self) -> tuple[str, ...]:
        """Parameters whose default alone is translated."""
        return self._listed("refused")

    @property
    def needless(self) -> tuple[str, ...]:
        """Parameters that the expression satisfies whatever their value."""
        return self._listed("needless")

    def _listed(self, name: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in (self.option(name) or "").split(",") if part)

    @cached_property
    def parameters(self) -> dict[str, ast.expr | None]:
        """Each parameter's default, of the first call and then of the second."""
        defaults: dict[str, ast.expr | None] = {}
        for written in (self.made, self.called):
            if written:
                defaults |= _parameters(written)
        return defaults

    @property
    def call(self) -> str:
        """The name as it is called in its own framework."""
        if self.attribute:
            return self.name
        calls = [f"({part})" for part in (self.made, self.called) if part is not None]
        return self.name + "".join(calls)

    @property
    def draws(self) -> bool:
        """Whether the expression needs a random key, or a generator."""
        drawn = "key" if self.framework == "torch" else "generator"
        return drawn in self.used - set(self.parameters)

    def own_names(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Named arguments by the parameters' names: PyTorch takes NumPy's ``axis`` for ``dim``."""
        aliases = {a: own for a, own in _ALIASES.items() if own in self.parameters}
        return {
            name if name in self.parameters else aliases.get(name, name): value
            for name, value in named.items()
        }

    def taken(self, second: bool = False) -> list[str]:
        """The parameters' names, in order, of the first call or the second."""
        return [] if self.made is None else list(_parameters(self.called if second else self.made))

    def source(self, expression: str) -> str:
        """An expression over the parameters, as a function that takes them as PyTorch does."""
        takers = [f"lambda {part}: " for part in (self.made, self.called) if part is not None]
        return "".join(takers) + f"({expression})"

    @cached_property
    def used(self) -> frozenset[str]:
        """The names that the expression and the plain one read."""
        texts = [self.expression, self.option("plain")]
        nodes = [node for text in texts if text for node in ast.walk(_parsed(text))]
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name))

    @cached_property
    def jax_names(self) -> tuple[str, ...]:
        """The names of JAX in the expression, such as ``jnp.take_along_axis``, in order."""
        return _names(self.expression, FREE) if self.framework == "torch" else ()

    @cached_property
    def torch_names(self) -> tuple[str, ...]:
        """The names of PyTorch in the expression of a name of JAX, in order."""
        return _names(self.expression, FREE_IN_PYTORCH) if self.framework == "jax" else ()

    @cached_property
    def first_names(self) -> tuple[str, ...]:
        """The names of the other framework in what people write first."""
        return _names(self.option("first"), FREE if self.framework == "torch" else FREE_IN_PYTORCH)

    @cached_property
    def further_names(self) -> tuple[str, ...]:
        """The names of JAX in a module's plain expression, and in how its weights begin."""
        return _names(self.option("plain"), FREE) + _names(self.option("begins"), FREE)


def _names(expression: str | None, free: frozenset[str]) -> tuple[str, ...]:
    if expression is None:
        return ()
    names = [
        ast.unparse(node)
        for node in ast.walk(_parsed(expression))
        if isinstance(node, ast.Attribute) and _root(node) in free - _VALUES
    ]
    longest = [n for n in names if not any(o.startswith(n + ".") for o in names)]
    return tuple(dict.fromkeys(longest))


_VALUES = frozenset({"generator", "key", "lr", "optimizer", "params", "rngs", "w"})


def parse(line: str) -> Row:
    """The row that a line of the map writes.

    Raises:
        LineError: the line is not written as it should be, and why.
    """
    if " => " not in line:
        name, equals, form_of = line.partition(" = ")
        if not equals or "(" in line:
            raise LineError(f"neither `name(...) => expression` nor `name = other name`: {line}")
        return Row(name.strip(), form_of=form_of.strip())
    call, _, rest = line.partition(" => ")
    expression, *extra = rest.split(" ; ")
    options = tuple(_option(part, line) for part in extra)
    name, made, called = _calls(call, line)
    text = None if expression.strip() == "nothing" else expression.strip()
    attribute = text is not None and made is None and name.startswith(("Tensor.", "Array."))
    row = Row(name, "self" if attribute else made, called, text, None, options, attribute)
    _check(row)
    return row


def _option(part: str, line: str) -> tuple[str, str]:
    name, colon, value = part.partition(":")
    if not colon or name.strip() not in OPTIONS:
        raise LineError(f"{name.strip()!r} is none of {', '.join(OPTIONS)}: {line}")
    return name.strip(), value.strip()


def _calls(call: str, line: str) -> tuple[str, str | None, str | None]:
    """A name, and the texts in its one or two pairs of brackets."""
    if "(" not in call:
        return call.strip(), None, None
    name, _, written = call.partition("(")
    if not call.endswith(")"):
        raise LineError(f"the call does not end with a bracket: {line}")
    made, twice, called = written[:-1].partition(")(")
    return name.strip(), made, called if twice else None


def _check(row: Row) -> None:
    """Refuse a line that drops a parameter, or names something that is not there."""
    recipe = row.option("recipe")
    if recipe and not (_RECIPES / f"{recipe}.py").exists():
        raise LineError(f"{row.name}: there is no recipe {recipe!r}")
    if row.expression is None:
        if not row.option("instead"):
            raise LineError(f"{row.name} becomes nothing: say after `instead:` what people do")
        return
    given = set(row.parameters)
    named = {*row.refused, *row.needless}
    taken = row.used | (KEYS if row.framework == "jax" and "generator" in row.used else set())
    if dropped := given - taken - named:
        raise LineError(f"{row.name}: use or refuse {', '.join(sorted(dropped))}")
    if strange := named - given:
        raise LineError(f"{row.name}: names {', '.join(sorted(strange))}, which it does not take")


def _parameters(written: str | None) -> dict[str, ast.expr | None]:
    try:
        arguments = ast.parse(f"lambda {written or ''}: 0", mode="eval").body.args  # type: ignore[attr-defined]
    except SyntaxError as error:
        raise LineError(f"these are not parameters: {written}") from error
    positional = [*arguments.posonlyargs, *arguments.args]
    none = [None] * (len(positional) - len(arguments.defaults))
    pairs = [*zip(positional, [*none, *arguments.defaults], strict=True)]
    if arguments.vararg:
        pairs.append((arguments.vararg, None))
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    if arguments.kwarg:
        pairs.append((arguments.kwarg, None))
    return {argument.arg: default for argument, default in pairs}


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise LineError(f"this is not a Python expression: {text}") from error


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
