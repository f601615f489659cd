"""Short descriptions of arguments, in the notation of the frameworks' documentation."""

import dataclasses
import re
from itertools import islice
from typing import Any

from jaxvstorch._messages import tidy

_LONGEST = 60  # characters; for an object with a longer repr only the class is shown
_DEEPEST = 12  # levels of containers; anything deeper is an ellipsis
_MOST_ITEMS = 100  # of a container; of a longer one the first are shown, and the number of all


def describe_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """Short descriptions of a call's arguments, keyword arguments with their names.

    >>> describe_all((1.5,), {"axis": 0})
    ['1.5', 'axis=0']
    """
    named = [f"{name}={describe(value)}" for name, value in kwargs.items()]
    return [*map(describe, args), *named]


def describe(value: Any) -> str:
    """A short description: ``f32[3]`` for an array, the ``repr`` for anything else.

    >>> import numpy as np
    >>> describe(np.ones((2, 3), np.float32)), describe(1.5), describe("relu")
    ('f32[2,3]', '1.5', "'relu'")
    >>> describe({"w": np.ones(2), "b": [1, 2]})
    "{'w': f64[2], 'b': [1, 2]}"
    >>> describe([0] * 5_000)[-21:]
    ' 0, … 5,000 in total]'
    """
    try:
        return _describe(value, ())
    except Exception:  # raised by an attribute of the reader's own class
        return type(value).__name__


def _describe(value: Any, around: tuple[int, ...]) -> str:
    """``around`` holds the ids of the containers around ``value``."""
    try:
        return _described(value, around)
    except Exception:  # raised by the object, which is asked for its attributes and its repr
        return type(value).__name__


def _described(value: Any, around: tuple[int, ...]) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{kind(value.dtype)}[{','.join(map(str, value.shape))}]"
    if type(value) in (dict, list, tuple):
        return _container(value, around)
    if (fields := _fields(value)) and id(value) not in around and len(around) < _DEEPEST:
        inner = (*around, id(value))
        fields_text = (f"{name}={_describe(getattr(value, name), inner)}" for name in fields)
        text = f"{type(value).__name__}({', '.join(fields_text)})"
        return text if len(text) <= _LONGEST else type(value).__name__
    name = getattr(value, "__name__", None)
    text = name if name and callable(value) else _represent(value)
    return text if len(text) <= _LONGEST and "\n" not in text else type(value).__name__


_BRACKETS: dict[type, tuple[str, str]] = {dict: ("{", "}"), list: ("[", "]"), tuple: ("(", ")")}


def _fields(value: Any) -> tuple[str, ...]:
    """The names of the fields that a dataclass or a named tuple shows."""
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        shows = getattr(kind, "__dataclass_params__").repr  # noqa: B009
        return tuple(field.name for field in dataclasses.fields(value) if field.repr and shows)
    return getattr(kind, "_fields", ()) if isinstance(value, tuple) else ()


def _container(value: Any, around: tuple[int, ...]) -> str:
    left, right = _BRACKETS[type(value)]
    if id(value) in around or len(around) == _DEEPEST:
        return f"{left}…{right}"
    around = (*around, id(value))
    first = islice(value.items() if type(value) is dict else value, _MOST_ITEMS)
    if type(value) is dict:
        inside = [f"{_represent(key)}: {_describe(item, around)}" for key, item in first]
    else:
        inside = [_describe(item, around) for item in first]
    if len(value) > _MOST_ITEMS:
        inside.append(f"… {len(value):,} in total")
    comma = "," if type(value) is tuple and len(inside) == 1 else ""
    return f"{left}{', '.join(inside)}{comma}{right}"


def _represent(value: Any) -> str:
    try:
        return tidy(repr(value))
    except Exception:  # of the reader's own class, or nested too deeply
        return type(value).__name__


def byte_count(value: int) -> str:
    """A number of bytes.

    >>> byte_count(1), byte_count(3_460), byte_count(36_000_000)
    ('1 byte', '3.46 kB', '36 MB')
    """
    if value < 1000:
        return f"{value} byte{'s' * (value != 1)}"
    for unit, size in (("kB", 1e3), ("MB", 1e6)):
        if value / size < 999.5:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e9:.3g} GB"


def kind(dtype: Any) -> str:
    """A dtype's short name.

    >>> kind("torch.bfloat16"), kind("uint8"), kind("bool")
    ('bf16', 'u8', 'bool')
    """
    name = str(dtype).removeprefix("torch.")
    return re.sub(r"^(bfloat|float|complex|uint|int)(?=\d)", _short_kind, name)


def _short_kind(match: re.Match[str]) -> str:
    return {"bfloat": "bf", "float": "f", "complex": "c", "uint": "u", "int": "i"}[match[1]]
