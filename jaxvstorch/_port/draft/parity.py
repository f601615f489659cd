"""Compares each part of a draft with the program's own: same inputs and weights."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from jaxvstorch._port.draft.comparing import compare_part
from jaxvstorch._port.draft.expressions import UNREACHED, UNSEEN
from jaxvstorch._port.draft.recording import FirstCall
from jaxvstorch._port.draft.rewriting import TODO
from jaxvstorch._port.map.running.describe import error_text


def compare_parts(
    path: Path, source: str, first_calls: dict[str, FirstCall]
) -> Iterator[tuple[str, str]]:
    """Each part's name, and the result of comparing it.

    Args:
        path: of the draft.
        source: of the draft.
        first_calls: of the program's functions and modules.
    """
    try:
        draft = _loaded(path)
    except Exception as error:
        yield path.name, f"does not load: {error_text(error)}"
        return
    for name, call in first_calls.items():
        if not call.returned or not hasattr(draft, name):
            continue
        module = isinstance(call.function, torch.nn.Module)
        parts = call.function.modules() if module else ()  # type: ignore[attr-defined]
        left, random = _count_marks(source, {name, *(type(part).__name__ for part in parts)})
        if left or (random and not module):
            count = left + random
            yield name, f"left to do: {count} {'mark' if count == 1 else 'marks'}"
            continue
        _hand_over(draft, call.function)
        if random:  # in eval mode the module draws nothing
            call.function.eval()  # type: ignore[attr-defined]
        try:
            yield name, compare_part(draft, call) + "; in eval mode" * bool(random)
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
    """Set the draft's globals that are None to the values of the program's run."""
    module = isinstance(function, torch.nn.Module)
    code = type(function).forward if module else function  # type: ignore[attr-defined]
    for name, value in getattr(code, "__globals__", {}).items():
        if name in vars(draft) and vars(draft)[name] is None:
            setattr(draft, name, getattr(draft, "from_torch", lambda x: x)(value))


def _count_marks(source: str, names: set[str]) -> tuple[int, int]:
    """Count the marks in definitions and those that they use: others, and of random numbers."""
    parts = {match[1]: match[0] for match in _DEFINITION.finditer(source)}
    pending, seen, marks = sorted(names & set(parts)), set(), list[str]()
    while pending:
        if (name := pending.pop()) in seen:
            continue
        seen.add(name)
        texts = re.findall(rf"# {TODO}(.*)", parts[name])
        marks += [text for text in texts if UNREACHED not in text and UNSEEN not in text]
        words = re.findall(r"(?<!\.)(?<!def )\b\w+", parts[name])  # no method of the same name
        pending += [word for word in set(words) if word in parts]
    random = [mark for mark in marks if "pass a key" in mark]
    return len(marks) - len(random), len(random)


_DEFINITION = re.compile(r"^(?:def|class) (\w+).*\n(?:(?:[ )].*)?\n)*", re.MULTILINE)
