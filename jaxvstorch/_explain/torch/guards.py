"""Which guards of a cached program fail in a call, and what the guarded values were and are."""

import ast
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import CodeType
from typing import Any

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.ledger_cures import Why
from jaxvstorch._explain.shorthand import describe
from jaxvstorch._explain.torch import dynamo_cache, tensor_guards
from jaxvstorch._explain.torch.guard_names import readable, readable_all
from jaxvstorch._explain.torch.guard_texts import MODES, differences


@dataclass(frozen=True)
class Failed:
    """A guard that fails.

    Attributes:
        source: the guarded value, as Dynamo writes it; empty for a setting or for several values.
        guard: what was checked, as Python code.
        why: the value, what it was, and what it is now; and what to do about it.
        parts: in how many parts it differs: a tensor's dtype, each size and so on, a container's
            items.
    """

    source: str
    guard: str
    why: Why
    parts: int = 1


def distance(fails: list[Failed]) -> tuple[int, int]:
    """How far a call is from a program; a program for any size or number wins over an equal one."""
    return sum(fail.parts for fail in fails), sum(not _relates(f.source, f.guard) for f in fails)


def failed(
    entry: Any, code: CodeType, variables: dict[str, Any], earlier: dict[str, str]
) -> list[Failed]:
    """The guards of a kept program that fail in a call, one for each value.

    Args:
        entry: the program.
        code: the function's code.
        variables: the function's variables in this call.
        earlier: short descriptions of the variables that the program was compiled for.
    """
    names = dynamo_cache.names_in_guards(entry, variables)
    checks = dynamo_cache.guards_of(entry)
    by_source = _other_keys(checks, names, code)
    relations: dict[str, Failed] = {}
    for source, guard in checks:
        # The roots hold the guards on settings; in PyTorch 2.14 one of two values holds theirs.
        of = "" if source in ("L", "G") or tensor_guards.is_identity(guard) else source
        if outer := next((other for other in by_source if of and _lies_in(of, other)), None):
            more = 0 if of == outer else _parts(of, guard, names)
            by_source[outer] = replace(by_source[outer], parts=by_source[outer].parts + more)
            continue
        with suppress(Exception):  # if the value is missing, another guard says so
            for why in differences(of, guard, names, code, earlier):
                failures = relations if _relates(of, guard) else by_source
                parts = max(1, _parts(of, guard, names))
                failures.setdefault(of or why.text, Failed(of, guard, why, parts))
    if any(key.startswith("default device") for key in by_source):
        by_source.pop(MODES, None)  # the default device is one of these modes
    # Guards on several values are reported if each single value is as before.
    failures = by_source or relations
    return list(failures.values()) or _from_dynamo(entry, code, names, earlier)


_KEY = re.compile(r"list\(dict\.keys\((.+)\)\)\[(\d+)\] == (.+)")


def _other_keys(
    checks: list[tuple[str, str]], names: dict[str, Any], code: CodeType
) -> dict[str, Failed]:
    """The dictionaries with other keys than before; how many there are is checked in C++ alone."""
    keys: dict[str, dict[int, Any]] = {}
    for key in filter(None, (_KEY.fullmatch(check) for _, check in checks)):
        with suppress(ValueError, SyntaxError):  # a key that is no literal
            keys.setdefault(key[1], {})[int(key[2])] = ast.literal_eval(key[3])
    found = {}
    for source, by_index in keys.items():
        was = [by_index[i] for i in sorted(by_index)]
        with suppress(Exception):  # if the dictionary is missing, another guard says so
            now = list(eval(source, names))
            if was != now and sorted(by_index) == list(range(len(was))):
                parts = sum(a != b for a, b in zip_longest(was, now))
                text = f"{readable(source, code, names)}: keys {describe(was)} → {describe(now)}"
                why = Why(text, cures.STRUCTURE)
                found[source] = Failed(source, f"list({source}) == {was}", why, parts)
    return found


def _parts(source: str, guard: str, names: dict[str, Any]) -> int:
    """In how many parts a tensor differs from its guard; 1 if the tensor is gone."""
    if not guard.startswith("check_tensor("):
        return 0
    try:
        return tensor_guards.parts_that_differ(guard, eval(source, names))
    except Exception:  # its container is shorter now, or has other keys
        return 1


def _relates(source: str, guard: str) -> bool:
    """Whether a guard is on several values, or on a size that may vary."""
    return guard.startswith("check_no_aliasing(") or (
        not source and bool(tensor_guards.sources_in(guard))
    )


def _from_dynamo(
    entry: Any, code: CodeType, names: dict[str, Any], earlier: dict[str, str]
) -> list[Failed]:
    """What Dynamo itself says, if no guard is Python code that fails."""
    word = dynamo_cache.first_that_fails(entry, names["L"])
    if word is None:
        return []
    for variable in tensor_guards.variables_in(word):
        was, now = earlier.get(variable), describe(names["L"].get(variable))
        if was is not None and was != now:
            name = readable(f"L['{variable}']", code, names)
            is_container = isinstance(names["L"].get(variable), dict | list | tuple)
            cure = cures.STRUCTURE if is_container else cures.VALUE
            why = Why(f"{name}: {was} → {now}", cure)
            return [Failed(f"L['{variable}']", word, why)]
    if length := re.fullmatch(r"len\((.+)\) != (\d+)", cleaned(word)):
        name, length_now = readable(length[1], code, names), len(eval(length[1], names))
        why = Why(f"{name}: length {length[2]} → length {length_now}", cures.STRUCTURE)
        return [Failed(length[1], word, why)]
    if word.endswith("out of range"):  # an error of the check itself
        return [Failed("", word, Why("a guard failed that PyTorch does not name"))]
    return [Failed("", word, Why(readable_all(cleaned(word), code, names)))]


def cleaned(text: str) -> str:
    """A guard without the source line, the stack and the addresses that Dynamo writes beside it."""
    guard = (text.splitlines() or [""])[0].split("  #")[0].strip()
    return re.sub(r", \d{9,}\)", ")", guard)


def _lies_in(source: str, other: str) -> bool:
    return source.startswith(other) and source[len(other) : len(other) + 1] in ("", ".", "[")
