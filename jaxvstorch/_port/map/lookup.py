"""Finds names in the map, of either framework, as people ask for them.

``asking.toml`` says what they mean; the page of names looks up in the same tables, in JavaScript.
"""

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, row_of, rows

_FILE = Path(__file__).with_name("asking.toml")
_CLOSE = 0.8  # a suggestion that is less alike would mislead
_SHORTEST = 4  # letters that the beginning of a name must have


@dataclass(frozen=True)
class Tables:
    """What a question is looked up in, by keys that :func:`squeezed` made.

    Attributes:
        rules: patterns and what replaces them, applied in order.
        names: the names of the map.
        asked: questions in words and names of other libraries.
        bare: the names whose last part is the key, the likeliest first.
        owners: modules and classes that a bare name is looked for in first.
        method_owners: what has methods, the likeliest first.
        kin: by the root of a library's name, the roots of the names that may be meant.
    """

    rules: list[tuple[str, str]]
    names: dict[str, list[str]]
    asked: dict[str, list[str]]
    bare: dict[str, list[str]]
    owners: list[str]
    method_owners: list[str]
    kin: dict[str, list[str]]


@cache
def tables() -> Tables:
    """The tables of the map as it is."""
    asking = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    names: dict[str, list[str]] = {}
    bare: dict[str, list[str]] = {}
    for name in (*rows(), *jax_rows()):
        names.setdefault(squeezed(name), []).append(name)
        bare.setdefault(squeezed(_last(name)), []).append(name)
    likeliest = partial(_unlikely, asking["owners"])
    for same in bare.values():
        same.sort(key=likeliest)
    return Tables(
        [(pattern, replacement) for pattern, replacement in asking["rules"]],
        names,
        {squeezed(question): list(answers) for question, answers in asking["asked"].items()},
        bare,
        asking["owners"],
        asking["method_owners"],
        asking["kin"],
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _unlikely(owners: list[str], name: str) -> tuple[int, int]:
    owner = name.rpartition(".")[0]
    return owners.index(owner) if owner in owners else len(owners), len(name)


def squeezed(text: str) -> str:
    """A key: no case, no spaces, underscores or hyphens."""
    return re.sub(r"[\s_-]", "", text).lower()


def meant(typed: str) -> str:
    """What was typed, by the rules: the name in a call, with its module's usual name."""
    text = typed.strip()
    for pattern, replacement in tables().rules:
        text = re.sub(pattern, replacement.replace("$1", r"\1"), text)
    return text


def find(typed: str) -> list[Row]:
    """The rows that answer a question, the best first.

    Args:
        typed: a name of PyTorch, of JAX or of a library that is known, with or without its module;
            a call, an index or an operator, pasted from code; or words such as "weight decay".

    Raises:
        TypeError: it is not a string.
    """
    if not isinstance(typed, str):
        raise TypeError(f"name must be a string such as 'torch.gather', not {typed!r}")
    found = [row_of(name) for name in answers(typed)]
    text = meant(typed)
    return found or in_expressions().get(text, []) or _in_words().get(text, [])


def answers(typed: str) -> dict[str, str]:
    """The names that have a line and answer a question, the best first, and why.

    The reason is empty where the name itself shows it.
    """
    text = meant(typed)
    reasons: dict[str, str] = {}
    for name, reason in _answers(text, "(" not in typed) if text else ():
        if name in rows() or name in jax_rows():
            reasons.setdefault(name, reason)
    return reasons


def _answers(text: str, is_unfinished: bool) -> Iterable[tuple[str, str]]:
    yield text, ""
    key, known = squeezed(text), tables()
    named, asked = known.names.get(key, []), known.asked.get(key, [])
    yield from _because("", named)
    yield from _because(f"for “{text}”", asked)
    if text.startswith("."):
        yield from _because("", [f"{owner}{text}" for owner in known.method_owners])
    bare = known.bare.get(squeezed(_last(text)), [])
    is_dotted = "." in text.lstrip(".")
    if is_dotted and (kin := known.kin.get(_root(text))) is not None:
        bare = [name for name in bare if _root(name) in kin]
    reason = f"also called “{_last(text)}”" if is_dotted else ""
    yield from _because(reason, [name for name in bare if _last(name) == _last(text)])
    owned = [name for name in bare if name.rpartition(".")[0] in known.owners]
    yield from _because(reason, owned)
    if not named and not asked:
        yield from _because(reason, bare)
        if not bare and is_unfinished:
            yield from _because(f"begins with “{text}”", _beginning(key))


def _because(reason: str, names: list[str]) -> Iterable[tuple[str, str]]:
    return ((name, reason) for name in names)


def _root(name: str) -> str:
    return name.partition(".")[0]


def _beginning(key: str) -> list[str]:
    """Names whose last part begins with a key."""
    if len(key) < _SHORTEST or "." in key:
        return []
    found = [name for bare, same in tables().bare.items() if bare.startswith(key) for name in same]
    return sorted(found, key=lambda name: (_unlikely(tables().owners, name), name))


@cache
def in_expressions() -> dict[str, list[Row]]:
    """The rows of PyTorch whose expression has a name of JAX, by that name."""
    by_name: dict[str, list[Row]] = {}
    for row in rows().values():
        for name in {*row.jax_names, *row.first_names}:
            by_name.setdefault(name, []).append(row)
    for name, same in by_name.items():
        same.sort(key=partial(_distance, name))
    return by_name


@cache
def _in_words() -> dict[str, list[Row]]:
    """The rows without an expression whose text mentions a name of JAX, by that name."""
    by_name: dict[str, list[Row]] = {}
    for row in rows().values():
        names = re.findall(r"\b(?:jax|jnp|lax|nnx|optax)(?:\.\w+)+", row.option("instead") or "")
        for name in dict.fromkeys(map(meant, names)):
            by_name.setdefault(name, []).append(row)
    for name, same in by_name.items():
        same.sort(key=partial(_distance_in_words, name))
    return by_name


def _distance_in_words(name: str, row: Row) -> tuple[bool, int]:
    text = row.option("instead") or ""
    return not text.startswith(f"`{name}"), len(text)


def _distance(name: str, row: Row) -> tuple[bool, bool, int]:
    """First the row of the same name, then those that do little else."""
    text = row.expression or ""
    return _last(row.name) != _last(name), not text.startswith(name), len(text)


def nearest(typed: str) -> list[str]:
    """Names of the map that look like one that is not there; none that hardly does."""
    text = meant(typed)
    known = tables()
    if len(text) <= _SHORTEST:
        return []
    if "." in text.lstrip("."):
        near = difflib.get_close_matches(squeezed(text), known.names, n=3, cutoff=_CLOSE)
        return [name for key in near for name in known.names[key][:1]]
    keys = [*known.bare, *known.asked]
    near = difflib.get_close_matches(squeezed(text), keys, n=3, cutoff=_CLOSE)
    return list(dict.fromkeys((known.bare.get(key) or known.asked[key])[0] for key in near))
