"""Puts into words what a value was and is now if its guard fails."""

import ast
import re
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import torch

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.ledger_cures import Why
from jaxvstorch._explain.shorthand import describe
from jaxvstorch._explain.torch import tensor_guards
from jaxvstorch._explain.torch.guard_names import readable, readable_all


def differences(
    source: str, guard: str, names: dict[str, Any], code: CodeType, earlier: dict[str, str]
) -> Iterator[Why]:
    """What a guarded value was and is now, if its guard fails, and what to do about it.

    Args:
        source: the value, as Dynamo writes it; empty for a setting or for several values.
        guard: as Python code.
        names: the values of the names in both.
        code: the function's code.
        earlier: short descriptions of the variables that the program was compiled for.
    """
    if guard.startswith("___check_global_state"):
        for text in tensor_guards.settings_changed(guard.partition(" against ")[2]):
            yield Why(text, cures.SETTING)
    elif guard.startswith("check_no_aliasing("):
        for text in _aliases(guard, names, code):
            yield Why(text, cures.ALIAS)
    elif why := _difference(source, guard, names, code, earlier):
        yield why


def _aliases(guard: str, names: dict[str, Any], code: CodeType) -> Iterator[str]:
    """Sentences about two tensors that are now the same one."""
    seen: dict[int, str] = {}
    for source in tensor_guards.sources_in(guard):
        value, name = eval(source, names), readable(source, code, names)
        if id(value) in seen:
            yield f"{seen[id(value)]} and {name}: two tensors → the same tensor twice"
        seen[id(value)] = name


def _difference(
    source: str, guard: str, names: dict[str, Any], code: CodeType, earlier: dict[str, str]
) -> Why | None:
    if source.startswith("list(dict.keys("):  # Dynamo names the dictionary, and its keys
        return None
    value = eval(source, names) if source else None
    if guard.startswith("check_tensor("):
        differs = tensor_guards.difference(guard, value)
        name = readable(source, code, names)
        return differs and Why(f"{name}: {differs.text}", differs.cure)
    check, _, kind = guard.partition(", type=")  # written after the check, for people
    if not _fails(check, names):
        return None
    if not source:
        return _relation(check, names, code)
    name = readable(source, code, names)
    was = _expected(check, kind, source, earlier)
    now = _now(check, value)
    if was == _type_name(kind) and isinstance(value, dict | list | tuple):
        now = type(value).__name__
    cure = _cure(source, was or "", now, value)
    if was and was != now:
        return Why(f"{name}: {was} → {now}", cure)
    return Why(f"{name}: {_another(value)}", cures.MADE_ONCE)


def _cure(source: str, was: str, now: str, value: Any) -> str:
    """What to do about a value whose guard fails."""
    if source.startswith("G["):
        return cures.GLOBAL
    if source.endswith(".training"):
        return cures.TRAINING
    if "None" in (was, now):
        return cures.NONE
    if isinstance(value, CodeType | FunctionType | MethodType | type):
        return cures.MADE_ONCE
    if isinstance(value, dict | list | tuple | set) or was.startswith("length "):
        return cures.STRUCTURE
    if isinstance(value, bool | str | torch.dtype | torch.device):
        return cures.VALUE
    if not isinstance(value, int | float) or ("." in was) != ("." in now):
        return cures.ONE_TYPE
    return cures.VALUE


def _another(value: Any) -> str:
    """Words for a value that looks the same but is another one."""
    if isinstance(value, CodeType | FunctionType | MethodType):
        return "another function"
    return "another class" if isinstance(value, type) else "not the same as before"


def _fails(check: str, names: dict[str, Any]) -> bool:
    try:
        return not eval(check, names)
    except Exception:  # only C++ checks it, or an outer guard fails
        return False


def _relation(check: str, names: dict[str, Any], code: CodeType) -> Why:
    """A guard on a setting, or on several values at once, such as a size that varies."""
    values = tensor_guards.sources_in(check)
    if tensor_guards.is_identity(check):
        was, now = (describe(eval(value, names)) for value in values)
        first, second = (readable(value, code, names) for value in values)
        if was != now:  # the first is guarded by itself
            return Why(f"{second}: {was} → {now}", cures.VALUE)
        return Why(f"{first} and {second}: the same twice → two", cures.ALIAS)
    described = [f"{readable(v, code, names)}: {describe(eval(v, names))}" for v in values]
    needs = readable_all(check, code, names)
    if described:
        text = f"{', '.join(described)}; {_widest(check, names)} needs {needs}"
        return Why(text, cures.SMALL if _SMALL.search(check) else cures.RANGE)
    if check.startswith("utils_device.CURRENT_DEVICE == "):
        was = check.partition(" == ")[2].removeprefix("device(type=").removesuffix(")")
        text = f"default device: {was} → {names['utils_device'].CURRENT_DEVICE}"
        return Why(text, cures.SETTING)
    if "torch_function_mode_stack" in check:
        return Why(MODES, cures.SETTING)
    return Why(f"no longer true: {check}")


def _widest(check: str, names: dict[str, Any]) -> str:
    """The name of a program with such a guard, which was compiled for what varies."""
    values = [eval(value, names) for value in tensor_guards.sources_in(check)]
    is_number = all(isinstance(value, int | float) for value in values)
    return f"the program for any {'number' if is_number else 'size'}"


_SMALL = re.compile(r"^2 <= |!= [01]$")  # a guard that 0 and 1 fail

MODES = "torch function modes: different ones are on"


def _expected(check: str, kind: str, source: str, earlier: dict[str, str]) -> str | None:
    """What the value was, according to the guard or to the call that compiled the program."""
    parsed = ast.parse(check, mode="eval").body
    if _is_empty(parsed):
        return "length 0"
    if isinstance(parsed, ast.Compare) and len(parsed.ops) == 1:
        literal = ast.unparse(parsed.comparators[0])
        if isinstance(parsed.ops[0], ast.IsNot | ast.NotEq):
            return f"not {literal}"
        return f"length {literal}" if check.startswith("len(") else literal
    root = source.removesuffix(".__code__").removeprefix("L['").removesuffix("']")
    if root in earlier:
        return earlier[root]
    return _type_name(kind) or None if check.startswith("___check_type_id") else None


def _is_empty(check: ast.expr) -> bool:
    """Whether a guard is that a container is empty, such as ``not L['x']``."""
    return isinstance(check, ast.UnaryOp) and isinstance(
        check.operand, ast.Subscript | ast.Attribute
    )


def _type_name(kind: str) -> str:
    """The type that Dynamo writes beside the check of a type, such as ``<class 'int'>``."""
    return kind.partition("'")[2].partition("'")[0].rpartition(".")[2]


def _now(check: str, value: Any) -> str:
    is_empty = _is_empty(ast.parse(check, mode="eval").body) and hasattr(value, "__len__")
    if check.startswith("len(") or is_empty:
        return f"length {len(value)}"
    if isinstance(value, CodeType):
        return value.co_name
    return describe(value)
