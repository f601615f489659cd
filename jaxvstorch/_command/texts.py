"""Reads arguments: ``f32[8,128]`` for an array, Python literals, and containers of both."""

import ast
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from jaxvstorch._command import BadInputError, dtypes

_EXPECTED = "expected an array such as f32[8,128], a Python literal, or a container of these"
_BEFORE = "f("
_LONG = 200  # characters of an argument that a message quotes
# `i64[]` is not Python. It is replaced by a name of the same length, so that positions stay right.
_SCALAR = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(\w+)\[( *)\]""")


@dataclass(frozen=True)
class Array:
    """An array to be made: its dtype, by NumPy's name, and its shape."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call, with an ``Array`` wherever an array is asked for."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] | None = None


def parse_call(text: str, option: str = "--call") -> Arguments:
    """Read a comma-separated list of arguments: ``"f32[8], 3, axis=0"``.

    Args:
        text: what was given.
        option: the option that it was given to, for the message.

    Raises:
        BadInputError: it cannot be read; the message says where, and what was expected.
    """
    return _Reader(re.sub(r"[\r\n]", " ", text), option).call()


def parse_arguments(texts: list[str]) -> Arguments:
    """Read the values of several ``--arg``: one argument each, ``name=`` before a keyword's.

    Raises:
        BadInputError: one cannot be read, or is not one argument, or a keyword is given twice.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        one = parse_call(text, "--arg")
        named = one.kwargs or {}
        if len(one.args) + len(named) != 1:
            raise BadInputError(
                f"--arg {text!r} is not one argument: give each its own --arg, "
                "and put a tuple in parentheses"
            )
        for name in named.keys() & kwargs.keys():
            raise BadInputError(f"--arg {text!r}: {name} is given twice")
        args += one.args
        kwargs |= named
    return Arguments(tuple(args), kwargs)


class _Reader:
    """Reads one text; it is kept for the positions in messages."""

    def __init__(self, text: str, option: str) -> None:
        self._text = text
        self._option = option

    def call(self) -> Arguments:
        masked = _SCALAR.sub(_as_name, self._text)
        try:
            tree = ast.parse(f"{_BEFORE}{masked}\n)", mode="eval").body
        except SyntaxError as error:
            column = (error.offset or 1) if error.lineno == 1 else len(_BEFORE + self._text) + 1
            self._fail(column - len(_BEFORE), f"{error.msg}; {_EXPECTED}")
        except (RecursionError, MemoryError):  # raised by Python's parser for deep nesting
            self._fail(1, f"this is nested too deeply; {_EXPECTED}")
        whole = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
        if not whole or tree.end_lineno != 2:
            self._fail(1, f"a bracket is closed that was not opened; {_EXPECTED}")
        assert isinstance(tree, ast.Call)
        kwargs: dict[str, Any] = {}
        for keyword in tree.keywords:
            if keyword.arg is None:
                self._fail_at(keyword.value, "** is not possible here; write name=value")
            if keyword.arg in kwargs:
                self._fail_at(keyword, f"{keyword.arg} is given twice")
            kwargs[keyword.arg] = self._value(keyword.value)
        return Arguments(tuple(map(self._value, tree.args)), kwargs)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Tuple():
                return tuple(map(self._value, node.elts))
            case ast.List():
                return list(map(self._value, node.elts))
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {self._key(key, node): self._value(value) for key, value in pairs}
            case ast.Subscript(value=ast.Name(id=name)):
                return Array(self._dtype(node, name), self._shape(node.slice))
            case ast.Name() if self._written(node).endswith("]"):
                return Array(self._dtype(node, self._written(node).partition("[")[0]), ())
            case ast.Name():
                self._fail_at(node, _bare_word(node.id))
        return self._literal(node)

    def _key(self, node: ast.expr | None, around: ast.expr) -> Any:
        if node is None:
            self._fail_at(around, "** is not possible here; write key: value")
        key = self._value(node) if isinstance(node, ast.Name) else self._literal(node)
        try:
            hash(key)
        except TypeError:
            self._fail_at(node, "a dictionary's key cannot be a list, a set or a dictionary")
        return key

    def _literal(self, node: ast.expr) -> Any:
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, RecursionError, MemoryError):
            self._fail_at(node, _EXPECTED)

    def _dtype(self, node: ast.expr, name: str) -> str:
        if name not in dtypes.BY_NAME:
            self._fail_at(node, dtypes.unknown(name))
        return dtypes.BY_NAME[name]

    def _shape(self, node: ast.expr) -> tuple[int, ...]:
        sizes = node.elts if isinstance(node, ast.Tuple) else [node]
        return tuple(map(self._size, sizes))

    def _size(self, node: ast.expr) -> int:
        if not isinstance(node, ast.Constant) or type(node.value) is not int:
            self._fail_at(node, "a shape is made of whole numbers, such as f32[8,128]")
        return node.value

    def _written(self, node: ast.expr) -> str:
        return self._text.encode()[self._start(node) : self._start(node, end=True)].decode()

    def _start(self, node: ast.expr | ast.keyword, end: bool = False) -> int:
        offset = (node.end_col_offset or 0) if end else node.col_offset
        return offset - len(_BEFORE)

    def _fail_at(self, node: ast.expr | ast.keyword, expected: str) -> NoReturn:
        before = self._text.encode()[: self._start(node)].decode()
        self._fail(len(before) + 1, expected)

    def _fail(self, character: int, expected: str) -> NoReturn:
        text = self._text if len(self._text) < _LONG else f"{self._text[:_LONG]}…"
        raise BadInputError(
            f"{self._option} {text!r}: at character {max(character, 1)}: {expected}"
        )


def _as_name(match: re.Match[str]) -> str:
    name, spaces = match[1], match[2]
    return match[0] if name is None else f"{name}_{'_' * len(spaces)}_"


def _bare_word(word: str) -> str:
    if word in dtypes.BY_NAME:
        return f"{word} needs a shape: {word}[8] for a vector, {word}[] for a scalar"
    return f"{word} is a bare word: a string needs quotes, as in \"'{word}'\""
