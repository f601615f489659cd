"""Which guards of a kept program a call fails, and what the guarded value was and is."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import Any

from jaxvstorch.explainer.shorthand import describe
from jaxvstorch.explainer.torch import memory, tensor_guards
from jaxvstorch.explainer.torch.names import readable, readable_all


@dataclass(frozen=True)
class Failed:
    """A guard that does not hold.

    Attributes:
        source: the guarded value, as Dynamo writes it; empty for a setting or for several values.
        guard: what was checked, as Python code.
        text: the value, what it was, and what it is.
    """

    source: str
    guard: str
    text: str


def failed(
    entry: Any, code: CodeType, variables: dict[str, Any], told: dict[str, str]
) -> list[Failed]:
    """The guards of a kept program that do not hold for a call, one for each value.

    Args:
        entry: the program.
        code: of the function.
        variables: the function's, in this call.
        told: the variables of the call that the program was compiled for, in short.
    """
    names = memory.names_in_guards(entry, variables)
    found: dict[str, Failed] = {}
    relations: dict[str, Failed] = {}
    for source, guard in memory.guards_of(entry):
        of = "" if source in ("L", "G") else source  # the roots carry the guards on settings
        if of and any(_lies_in(of, other) for other in found):
            continue
        with suppress(Exception):  # where the value is not there, another guard says so
            for text in _differences(of, guard, names, code, told):
                failures = relations if _relates(of, guard) else found
                failures.setdefault(of or text, Failed(of, guard, text))
    if any(key.startswith("default device") for key in found):
        found.pop(_MODES, None)  # which the default device is one of
    # How values lie to one another is told where each of them is as it was.
    failures = found or relations
    return list(failures.values()) or _told_by_dynamo(entry, code, names, told)


def _relates(source: str, guard: str) -> bool:
    """Whether a guard is on several values, or on a size that may vary."""
    return guard.startswith("check_no_aliasing(") or (
        not source and bool(tensor_guards.sources_in(guard))
    )


def _told_by_dynamo(
    entry: Any, code: CodeType, names: dict[str, Any], told: dict[str, str]
) -> list[Failed]:
    """What Dynamo itself says, where no guard is Python code that fails."""
    word = memory.first_that_fails(entry, names["L"])
    if word is None:
        return []
    for variable in tensor_guards.variables_in(word):
        was, now = told.get(variable), describe(names["L"].get(variable))
        if was is not None and was != now:
            name = readable(f"L['{variable}']", code, names)
            return [Failed(f"L['{variable}']", word, f"{name}: {was} → {now}")]
    if length := re.fullmatch(r"len\((.+)\) != (\d+)", cleaned(word)):
        name, found = readable(length[1], code, names), len(eval(length[1], names))
        return [Failed(length[1], word, f"{name}: length {length[2]} → length {found}")]
    return [Failed("", word, readable_all(cleaned(word), code, names))]


def cleaned(text: str) -> str:
    """Without the source line, the stack and the addresses that Dynamo writes beside a guard."""
    guard = (text.splitlines() or [""])[0].split("  #")[0].strip()
    return re.sub(r", \d{9,}\)", ")", guard)


def _lies_in(source: str, other: str) -> bool:
    return source.startswith(other) and source[len(other) : len(other) + 1] in ("", ".", "[")


def _differences(
    source: str, guard: str, names: dict[str, Any], code: CodeType, told: dict[str, str]
) -> Iterator[str]:
    """What the value was and is, if the guard does not hold."""
    if guard.startswith("___check_global_state"):
        yield from tensor_guards.settings_changed(guard.partition(" against ")[2])
    elif guard.startswith("check_no_aliasing("):
        yield from _aliases(guard, names, code)
    elif text := _difference(source, guard, names, code, told):
        yield text


def _aliases(guard: str, names: dict[str, Any], code: CodeType) -> Iterator[str]:
    """Tensors that were different ones, and are the same one now."""
    seen: dict[int, str] = {}
    for source in tensor_guards.sources_in(guard):
        value, name = eval(source, names), readable(source, code, names)
        if id(value) in seen:
            yield f"{seen[id(value)]} and {name}: two tensors → the same tensor twice"
        seen[id(value)] = name


def _difference(
    source: str, guard: str, names: dict[str, Any], code: CodeType, told: dict[str, str]
) -> str | None:
    if source.startswith("list(dict.keys("):  # Dynamo says which dictionary, and its keys
        return None
    value = eval(source, names) if source else None
    if guard.startswith("check_tensor("):
        differs = tensor_guards.difference(guard, value)
        return differs and f"{readable(source, code, names)}: {differs}"
    check, _, kind = guard.partition(", type=")  # written after the check, for people
    if not _fails(check, names):
        return None
    if not source:
        return _relation(check, names, code)
    name = readable(source, code, names)
    was = _expected(check, kind, source, told)
    now = _now(check, value)
    if was == _type_name(kind) and isinstance(value, dict | list | tuple):
        now = type(value).__name__
    return f"{name}: {was} → {now}" if was and was != now else f"{name}: not the same as before"


def _fails(check: str, names: dict[str, Any]) -> bool:
    try:
        return not eval(check, names)
    except Exception:  # it is checked in C++ alone, or an outer guard fails
        return False


def _relation(check: str, names: dict[str, Any], code: CodeType) -> str:
    """A guard on a setting, or on several values at once, such as a size that varies."""
    values = tensor_guards.sources_in(check)
    if len(values) == 2 and check == " is ".join(values):
        first, second = (readable(value, code, names) for value in values)
        return f"{first} and {second}: the same twice → two"
    said = [f"{readable(v, code, names)}: {describe(eval(v, names))}" for v in values]
    needs = readable_all(check, code, names)
    if said:
        return f"{', '.join(said)}, where a kept program needs {needs}"
    if check.startswith("utils_device.CURRENT_DEVICE == "):
        was = check.partition(" == ")[2].removeprefix("device(type=").removesuffix(")")
        return f"default device: {was} → {names['utils_device'].CURRENT_DEVICE}"
    return _MODES if "torch_function_mode_stack" in check else f"no longer true: {check}"


_MODES = "torch function modes: others are on"


def _expected(check: str, kind: str, source: str, told: dict[str, str]) -> str | None:
    """What the value was, if the guard says so, or what the call that was compiled for had."""
    parsed = ast.parse(check, mode="eval").body
    if isinstance(parsed, ast.Compare) and len(parsed.ops) == 1:
        literal = ast.unparse(parsed.comparators[0])
        if isinstance(parsed.ops[0], ast.IsNot | ast.NotEq):
            return f"not {literal}"
        return f"length {literal}" if check.startswith("len(") else literal
    root = source.removesuffix(".__code__").removeprefix("L['").removesuffix("']")
    if root in told:
        return told[root]
    return _type_name(kind) or None if check.startswith("___check_type_id") else None


def _type_name(kind: str) -> str:
    """Of what Dynamo writes beside the check of a type, such as ``<class 'int'>``."""
    return kind.partition("'")[2].partition("'")[0].rpartition(".")[2]


def _now(check: str, value: Any) -> str:
    if check.startswith("len("):
        return f"length {len(value)}"
    if isinstance(value, CodeType):
        return value.co_name
    return describe(value)
