"""A draft's parts beside the program's own: the same inputs and weights, values and gradients."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from jaxvstorch._port.draft.comparing import compared
from jaxvstorch._port.draft.expressions import UNREACHED, UNSEEN
from jaxvstorch._port.draft.recording import Called
from jaxvstorch._port.draft.rewriting import TODO
from jaxvstorch._port.map.running.describe import error_text


def tried(path: Path, source: str, calls: dict[str, Called]) -> Iterator[tuple[str, str]]:
    """Each part's name, and what comparing it came to.

    Args:
        path: where the draft stands.
        source: the draft.
        calls: of the program's functions and modules.
    """
    try:
        draft = _loaded(path)
    except Exception as error:
        yield path.name, f"does not load: {error_text(error)}"
        return
    for name, called in calls.items():
        if not called.returned or not hasattr(draft, name):
            continue
        module = isinstance(called.function, torch.nn.Module)
        parts = called.function.modules() if module else ()  # type: ignore[attr-defined]
        left, random = _left(source, {name, *(type(part).__name__ for part in parts)})
        if left or (random and not module):
            count = left + random
            yield name, f"left to do: {count} {'mark' if count == 1 else 'marks'}"
            continue
        _hand_over(draft, called.function)
        if random:  # what a module draws in training, it does not draw after it
            called.function.eval()  # type: ignore[attr-defined]
        try:
            yield name, compared(draft, called) + "; in eval mode" * bool(random)
        except Exception as error:
            if isinstance(error, NameError) and error.name == "key":
                yield name, "left to do: it draws random numbers, and needs a key"
                continue
            yield name, f"cannot be compared: {error_text(error)}"


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("jaxvstorch_draft", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _hand_over(draft: ModuleType, function: Callable[..., Any]) -> None:
    """Give the draft what the program's run made at the top of its file."""
    module = isinstance(function, torch.nn.Module)
    code = type(function).forward if module else function  # type: ignore[attr-defined]
    for name, value in getattr(code, "__globals__", {}).items():
        if name in vars(draft) and vars(draft)[name] is None:
            setattr(draft, name, getattr(draft, "from_torch", lambda x: x)(value))


def _left(source: str, names: set[str]) -> tuple[int, int]:
    """The marks in definitions and in those that they name, and those of random numbers."""
    parts = {found[1]: found[0] for found in _DEFINITION.finditer(source)}
    rest, seen, marks = sorted(names & set(parts)), set(), list[str]()
    while rest:
        if (one := rest.pop()) in seen:
            continue
        seen.add(one)
        found = re.findall(rf"# {TODO}(.*)", parts[one])
        marks += [mark for mark in found if UNREACHED not in mark and UNSEEN not in mark]
        words = re.findall(r"(?<!\.)(?<!def )\b\w+", parts[one])  # no method of the same name
        rest += [word for word in set(words) if word in parts]
    random = [mark for mark in marks if "pass a key" in mark]
    return len(marks) - len(random), len(random)


_DEFINITION = re.compile(r"^(?:def|class) (\w+).*\n(?:(?:[ )].*)?\n)*", re.MULTILINE)
