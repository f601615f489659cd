"""Compares each part of a draft with the program's own: same inputs and weights."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import torch

from jaxvstorch._port.draft.commenting import SKIPPED, TODO
from jaxvstorch._port.draft.comparing import compare_part
from jaxvstorch._port.draft.helpers import add_helpers
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.stepping import compare_steps
from jaxvstorch._port.imports import import_file
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.values import to_jax


def compare_parts(
    path: Path, source: str, recording: Recording, style: str = "nnx"
) -> Iterator[tuple[str, str]]:
    """Each part's name, and the result of comparing it.

    Args:
        path: of the draft.
        source: of the draft.
        recording: of the program's run.
        style: of the draft.
    """
    try:
        draft = loaded(path, recording.names)
    except Exception as error:
        yield path.name, f"does not load: {error_text(error)}"
        return
    compare, compare_taken = compare_part, compare_steps
    if style != "nnx":
        from jaxvstorch._port.draft.styles import comparing

        compare = partial(comparing.compare_part, recording=recording)
        compare_taken = comparing.compare_steps
    for name, call in recording.first_calls.items():
        drafted = recording.functions.get(name, ("", name))[1]
        if not call.returned or name in recording.run_by_loaders or not hasattr(draft, drafted):
            continue
        module = isinstance(call.function, torch.nn.Module)
        parts = list(call.function.modules()) if module else []  # type: ignore[attr-defined]
        named = {name, *(type(part).__name__ for part in parts)}
        named |= {f for n in named for f in recording.functions.get(n, ())}
        left = _count_marks(source, named)
        if left:
            yield name, f"left to do: {left} {'mark' if left == 1 else 'marks'}"
            continue
        if not module and _reads_module(call.function):
            yield name, "reads a module of the program: compared through it"
            continue
        _hand_over(draft, call.function)
        try:
            yield name, compare(draft, call)
        except LookupError as error:
            yield name, f"not compared: {error.args[0]}"
        except Exception as error:
            yield name, f"cannot be compared: {error_text(error)}"
    for steps in recording.steps.values():
        if steps.drafted is not None and (other := steps.drafted.changing):
            why = f"{other} gives another value in another step"
            yield steps.drafted.name, f"cannot be compared: {why}"
        elif steps.drafted is not None:
            yield compare_taken(draft, steps, recording)


def left_to_do(marks: int, results: list[str], unverified: int = 0) -> str:
    """What is left to do in a draft: nothing only where all that could be compared agrees.

    Args:
        marks: how many places are marked as left to do.
        results: of comparing its parts.
        unverified: how many places the map translated, but no replay verified.
    """
    if marks:
        return (
            "1 place is marked as left to do"
            if marks == 1
            else f"{marks} places are marked as left to do"
        )
    apart = [text for text in results if text.startswith(("not at parity", "cannot", "does not"))]
    if apart:
        return "nothing is marked in it, but not all of it is at parity"
    if not any(text.startswith("at parity") for text in results):
        return "nothing is marked in it, and nothing of it could be compared"
    places = {0: "", 1: ", but 1 place is not verified"}
    several = f", but {unverified} places are not verified"
    return f"nothing is left to do in it{places.get(unverified, several)}"


def loaded(path: Path, names: Mapping[str, str] = MappingProxyType({})) -> ModuleType:
    """Import a draft anew.

    Args:
        path: of the draft.
        names: of its helpers, where they differ.
    """
    module = import_file(path, "jaxvstorch_draft")
    add_helpers(module, names)
    return module


def _reads_module(function: Any) -> bool:
    """Whether a function reads a module by a global name."""
    names = function.__code__.co_names
    values = (function.__globals__.get(name) for name in names)
    return any(isinstance(value, torch.nn.Module) for value in values)


def _hand_over(draft: ModuleType, function: Callable[..., Any]) -> None:
    """Give the draft the globals that it leaves to the program's run, such as settings."""
    module = isinstance(function, torch.nn.Module)
    code = type(function).forward if module else function  # type: ignore[attr-defined]
    for name, value in getattr(code, "__globals__", {}).items():
        if getattr(draft, name, None) is None and not isinstance(value, torch.nn.Module):
            setattr(draft, name, to_jax(value) if isinstance(value, torch.Tensor) else value)


def _count_marks(source: str, names: set[str]) -> int:
    """Count the marks in definitions and those that they use."""
    parts = {match[1]: match[0] for match in _DEFINITION.finditer(source)}
    pending, seen, marks = sorted(names & set(parts)), set(), list[str]()
    while pending:
        if (name := pending.pop()) in seen:
            continue
        seen.add(name)
        texts = re.findall(rf"# {TODO}(.*)", parts[name])
        marks += [text for text in texts if SKIPPED not in text]
        words = re.findall(r"(?<!\.)(?<!def )\b\w+", parts[name])  # no method of the same name
        pending += [word for word in set(words) if word in parts]
    return len(marks)


_DEFINITION = re.compile(r"^(?:def|class) (\w+).*\n(?:(?:[ )].*)?\n)*", re.MULTILINE)
