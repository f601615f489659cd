"""Turns Dynamo's names for guarded values into the names in the function's source."""

import re
from types import CodeType
from typing import Any

_ROOT = re.compile(r"([LG])\['([^']+)'\]")
_IMPORTED = re.compile(r"__import_(\w+)")
_MEMBER = re.compile(
    r"(?:\._|(?:\.__dict__)?\['_)(?:modules|parameters|buffers)(?:'\])?\['([^']+)'\]"
)
_ATTRIBUTE = re.compile(r"\.__dict__\['([^\W\d]\w*)'\]")
_FROM_NUMPY = re.compile(r"___from_numpy\(([^()]*)\)")
_OF_CLASS = re.compile(r"dict\(type\(([^()]*)\)\)\['(\w+)'\]")
_KEY = re.compile(r"list\(dict\.keys\([^()]*\)\)\[(\d+)\]")
_SIZE = re.compile(r"\.(size|stride)\(\)\[(\d+)\]")
_CELL = re.compile(r"^(.*)\.__closure__\[(\d+)\]\.cell_contents")


def readable(source: str, code: CodeType, names: dict[str, Any]) -> str:
    """The name of a guarded value.

    Args:
        source: as Dynamo writes it, such as ``"L['self']._modules['drop'].training"``.
        code: of the function.
        names: the values of the names in ``source``.
    """
    if cell := _CELL.match(source):
        return _closed_over(cell[1], int(cell[2]), source[cell.end() :], code, names)
    where = ""
    if root := _ROOT.match(source):
        if root[1] == "G" and not _IMPORTED.match(root[2]):
            where = "global "
        elif root[2] in code.co_freevars:
            where = "closed-over "
    return where + readable_all(source.removesuffix(".__code__"), code, names)


def readable_all(text: str, code: CodeType, names: dict[str, Any]) -> str:
    """The same for all names in a piece of code."""
    text = _ROOT.sub(_plain, text)
    text = _MEMBER.sub(_member, _FROM_NUMPY.sub(r"\1", text))
    text = _ATTRIBUTE.sub(r".\1", text).replace(".__dict__", "")
    text = _KEY.sub(r"key \1", _OF_CLASS.sub(r"type(\1).\2", text))
    return _SIZE.sub(lambda m: f".{'shape' if m[1] == 'size' else m[1]}[{m[2]}]", text)


def as_called(text: str, parameters: list[str]) -> str:
    """A reason about a function that Dynamo wraps, with the parameter names of that function.

    Args:
        text: in the names of the wrapper, whose arguments are ``*args`` and ``**kwargs``.
        parameters: of the wrapped function, without ``self``.
    """
    text = text.replace("closed-over fn", "self")
    text = re.sub(r"\bkwargs\['(\w+)'\]", r"\1", text)
    return re.sub(
        r"\bargs\[(\d+)\]",
        lambda m: parameters[int(m[1])] if int(m[1]) < len(parameters) else m[0],
        text,
    )


def _member(name: re.Match[str]) -> str:
    return f"[{name[1]}]" if name[1].isdigit() else f".{name[1]}"


def _plain(root: re.Match[str]) -> str:
    imported = _IMPORTED.match(root[2])
    return imported[1].replace("_dot_", ".") if imported else root[2]


def _closed_over(
    function: str, number: int, rest: str, code: CodeType, names: dict[str, Any]
) -> str:
    """A variable that an inner function keeps."""
    owner = readable(function, code, names)
    try:
        variable = eval(function, names).__code__.co_freevars[number]
    except Exception:  # Dynamo's source for it cannot be read here
        return f"a variable that {owner} closes over"
    return f"{variable}{rest} that {owner} closes over"
