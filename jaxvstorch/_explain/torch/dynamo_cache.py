"""What Dynamo caches for a function: its programs, their guards, and the limits."""

import json
from collections.abc import Iterator
from types import CodeType
from typing import Any

from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private


def programs_kept(code: CodeType) -> list[Any]:
    """The programs that Dynamo keeps of a function's code, the one used last first."""
    return list(private.cache_entries(code))


def wraps_library_code(code: CodeType) -> bool:
    """Whether it is Dynamo's wrapper for functions of ``torch.nn``, which Dynamo skips without it.

    All functions in such a wrapper share its programs and its limit.
    """
    return bool(code.co_filename == _or_none("external_utils_file"))


def limit_of(name: str) -> Any:
    """The value of a limit of ``torch._dynamo.config``."""
    return getattr(_or_none("dynamo_config"), name, None)


def stance() -> str:
    """The stance that ``torch.compiler.set_stance`` set."""
    return str(getattr(_or_none("stance"), "stance", "default"))


def guards_of(entry: Any) -> list[tuple[str, str]]:
    """What a kept program checks before it is used: the value, and the check as Python code.

    Both name the function's variables ``L['x']`` and its globals ``G['x']``.
    """
    root = getattr(entry.guard_manager, "root", None)
    if root is None or isinstance(entry.guard_manager, private.DeletedGuardManager):
        return []
    guards = list(_leaves(root))
    for guard in root.get_epilogue_lambda_guards():
        guards += [("", part) for part in guard.verbose_code_parts()]
    return [(source, code.split("  #")[0].strip()) for source, code in guards]


def _leaves(manager: Any) -> Iterator[tuple[str, str]]:
    for guard in manager.get_leaf_guards():
        yield from ((manager.get_source(), part) for part in guard.verbose_code_parts())
    if hasattr(manager, "get_key_value_managers"):  # of a dictionary
        inner = [m for pair in manager.get_key_value_managers().values() for m in pair if m]
    else:
        inner = manager.get_child_managers()
    for child in inner:
        yield from _leaves(child)


def names_in_guards(entry: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """The values of the names in a program's guards, for a call with these variables."""
    manager = entry.guard_manager
    its_globals = (manager.global_scope or {}).get("G", {})
    return {**(manager.closure_vars or {}), "L": variables, "G": its_globals}


def first_that_fails(entry: Any, variables: dict[str, Any]) -> str | None:
    """Dynamo's own text for the first guard that fails; ``None`` if all hold."""
    manager = entry.guard_manager
    if isinstance(manager, private.DeletedGuardManager):
        return str(manager.invalidation_reason)
    check = manager.check_verbose(variables)
    return None if check.result else str((*check.verbose_code_parts, "a guard")[0])


def global_state() -> dict[str, Any]:
    """PyTorch's settings that every program is guarded on; empty if they cannot be read."""
    guard = _or_none("GlobalStateGuard")
    serialize = getattr(guard() if guard else None, "__getstate__", None)
    state = json.loads(serialize()) if serialize else {}
    return dict(state)


def _or_none(name: str) -> Any:
    try:
        return private.NAMES[name].get()
    except MissingNameError:
        return None
