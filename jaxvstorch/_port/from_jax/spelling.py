"""The PyTorch of operations, written down while it runs: ``a = torch.exp(x)``."""

import ast
import itertools
import string
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from jaxvstorch._port.from_jax.defaults import WithoutDefaults

_OPERATORS = {
    "__add__": "{} + {}", "__radd__": "{1} + {0}", "__sub__": "{} - {}", "__rsub__": "{1} - {0}",
    "__mul__": "{} * {}", "__rmul__": "{1} * {0}", "__pow__": "{} ** {}", "__rpow__": "{1} ** {0}",
    "__truediv__": "{} / {}", "__rtruediv__": "{1} / {0}", "__matmul__": "{} @ {}",
    "__invert__": "~{}", "__and__": "{} & {}", "__or__": "{} | {}", "__mod__": "{} % {}",
    "mul": "{} * {}", "add": "{} + {}", "sub": "{} - {}", "neg": "-{}", "matmul": "{} @ {}",
    "gt": "{} > {}", "lt": "{} < {}", "ge": "{} >= {}", "le": "{} <= {}", "eq": "{} == {}",
}  # fmt: skip
_WHOLE = (ast.Name, ast.Call, ast.Subscript, ast.Attribute)


class UnwrittenError(ValueError):
    """An argument has no short text."""


class Spelling:
    """Names arrays, and writes operations with these names.

    What an operation reads and none before it made is called ``x``, ``y`` and so on; its results
    are ``a``, ``b`` and so on.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[int, tuple[Any, str]] = {}
        self._inputs = _letters("xyzwvu")
        self._results = _letters(string.ascii_lowercase[:20])

    def name_of(self, value: Any) -> str:
        """The name of an array of JAX."""
        known = self._names.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        return self._named(value, next(self._inputs))

    def _named(self, value: Any, name: str) -> str:
        with suppress(TypeError):  # a number of NumPy's has no references, and is read once
            self._names[id(value)] = weakref.ref(value), name
        return name

    def add(
        self, recorder: "Recorder", torch_results: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Write an operation that was recorded, whose results JAX has too."""
        try:
            texts = [recorder.text(result) for result in torch_results]
        except UnwrittenError:
            return
        self.lines += map(_shortened, recorder.statements)
        for text, value in zip(texts, results, strict=True):
            name = text if text.isidentifier() else next(self._results)
            self._named(value, name)
            if name != text:
                self.lines.append(_shortened(f"{name} = {text}"))

    def temporary(self) -> str:
        """A name for an array that is written into."""
        return next(self._results)


def _letters(letters: str) -> Iterator[str]:
    yield from letters
    for number in itertools.count(1):
        yield from (f"{letter}{number}" for letter in letters)


class Recorder(TorchFunctionMode):
    """While it is entered, keeps the expression of each tensor that PyTorch's functions return."""

    def __init__(self, spelling: Spelling, tensors: Sequence[Any], names: Sequence[str]) -> None:
        super().__init__()
        self.statements: list[str] = []
        self._spelling = spelling
        self._kept = list(tensors)  # so that no other has their ``id``
        self._texts = {id(x): name for x, name in zip(tensors, names, strict=True)}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do a call, and write it down."""
        result = func(*args, **(kwargs or {}))
        name = (resolve_name(func) or "").replace("torch.functional.", "torch.")
        try:
            text = self._call(name, args, kwargs or {})
        except UnwrittenError:
            return result
        for part, own in _parts(result, text):
            if id(part) not in self._texts:
                self._kept.append(part)
                self._texts[id(part)] = own
        return result

    def _call(self, name: str, args: Any, kwargs: Any) -> str:
        method = name.removeprefix("torch.Tensor.")
        if method == "__setitem__":
            self._assigned(*args)
        if (
            not name
            or method == "__setitem__"
            or (method == name and not name.startswith("torch."))
        ):
            raise UnwrittenError
        if method.endswith(".__get__"):
            return f"{self._operand(args[0])}.{method.removesuffix('.__get__')}"
        if method == "__getitem__":
            return f"{self._operand(args[0])}[{self._index(args[1])}]"
        if method != name and method in _OPERATORS and not kwargs:
            return _OPERATORS[method].format(*map(self._operand, args))
        words = [f"{key}={self.text(value)}" for key, value in kwargs.items()]
        if method == name:
            return f"{name}({', '.join([*map(self.text, args), *words])})"
        return (
            f"{self._operand(args[0])}.{method}({', '.join([*map(self.text, args[1:]), *words])})"
        )

    def _assigned(self, x: torch.Tensor, index: Any, value: Any) -> None:
        name = self._texts.get(id(x), "")
        if not name.isidentifier():
            if not name:
                raise UnwrittenError
            name, text = self._spelling.temporary(), name
            self.statements.append(f"{name} = {text}")
            self._texts[id(x)] = name
        self.statements.append(f"{name}[{self._index(index)}] = {self.text(value)}")

    def _operand(self, value: Any) -> str:
        text = self.text(value)
        return f"({text})" if not isinstance(_parsed(text), _WHOLE) else text

    def _index(self, index: Any) -> str:
        if isinstance(index, tuple) and index:
            return ", ".join(map(self._index, index)) + "," * (len(index) == 1)
        if isinstance(index, slice):
            bounds = ["" if part is None else self.text(part) for part in (index.start, index.stop)]
            return ":".join(bounds) + (
                f":{self.text(index.step)}" if index.step is not None else ""
            )
        return "..." if index is Ellipsis else self.text(index)

    def text(self, value: Any) -> str:
        """An argument as text.

        Raises:
            UnwrittenError: there is none.
        """
        if isinstance(value, torch.Tensor):
            if id(value) not in self._texts:
                raise UnwrittenError
            return self._texts[id(value)]
        if isinstance(value, list):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.text, value))}{',' * (len(value) == 1)})"
        if value is None or isinstance(value, str | torch.dtype):
            return repr(value)
        if isinstance(value, bool | int | float | complex) or hasattr(value, "__index__"):
            number = value if isinstance(value, bool | float | complex) else int(value)
            plain = isinstance(number, bool | int) or abs(number) < float("inf")
            return repr(number) if plain else f"float('{number}')"
        raise UnwrittenError


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _parts(result: Any, text: str) -> Iterator[tuple[torch.Tensor, str]]:
    if isinstance(result, torch.Tensor):
        yield result, text
    elif isinstance(result, list | tuple):
        for number, part in enumerate(result):
            if isinstance(part, torch.Tensor):
                yield part, f"{text}[{number}]"


def constant(value: Any) -> str:
    """A number of JAX's as an array."""
    number = value.item() if hasattr(value, "item") else value
    kind = next(kind for kind in (bool, int, float, complex) if isinstance(number, kind))
    text = repr(kind(number)) if abs(number) < float("inf") else f"float('{float(number)}')"
    dtype = str(getattr(value, "dtype", kind.__name__))
    usual = {"bool": bool, "float32": float, "complex64": complex}.get(dtype) is kind
    return f"torch.tensor({text})" if usual else f"torch.tensor({text}, dtype=torch.{dtype})"


def _shortened(statement: str) -> str:
    """A statement without what PyTorch does anyway."""
    return ast.unparse(WithoutDefaults().visit(ast.parse(statement)))
