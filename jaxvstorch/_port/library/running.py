"""Runs what was extracted of libraries, as one file of PyTorch, under a replay."""

import linecache
import traceback
from collections.abc import Iterator, Mapping, ValuesView
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.imports import import_file
from jaxvstorch._port.library.extracting import Extracted
from jaxvstorch._port.library.settings import is_settings
from jaxvstorch._port.replay import Replay


def run_file(model: Extracted, file: Path, limit: int) -> tuple[Recording, Replay]:
    """Write the file, and make its calls again; what they showed.

    Args:
        model: as one file of PyTorch.
        file: where it is written, in a folder of its own.
        limit: how many calls of one function on one line are repeated.

    Raises:
        ValueError: the file fails, or gives something else than the library.
    """
    file.write_text(model.text, encoding="utf-8")
    recording = Recording(str(file.with_name("run.py")))
    replay = Replay(limit, recording.record)
    results = list[Any]()
    try:
        module = import_file(file, file.stem)
        with replay, recording.watching():
            for call in model.calls:
                values = {name: _own(module, value) for name, value in call.made_with.items()}
                new = getattr(module, call.name)(**values)
                new.load_state_dict(call.state_dict)
                new.train(call.training)
                results.append(new(**call.called_with))
    except Exception as error:
        line = error.__traceback__ and traceback.extract_tb(error.__traceback__)[-1].line
        raise ValueError(
            f"what ran of {model.package}, written as one file, fails at `{line}`: {error}"
        ) from error
    for result, call in zip(results, model.calls, strict=True):
        require_equal(result, call.result)
    recording.argument_types = replay.argument_types
    recording.shorter = replay.shorter_forms.hold
    linecache.getlines(str(file))  # a report shows them
    return recording, replay


def _own(module: ModuleType, value: Any) -> Any:
    """The file's settings for those of the library; other values as they are."""
    if not is_settings(value):
        return value
    cls = getattr(module, type(value).__name__)
    return cls(**{field.name: getattr(value, field.name) for field in fields(cls)})


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a result, in order; an output class of a library is a mapping."""
    if isinstance(value, torch.Tensor):
        yield value
    parts = value.values() if isinstance(value, Mapping) else value
    for part in parts if isinstance(parts, Mapping | list | tuple | ValuesView) else ():
        yield from _tensors(part)


def require_equal(ours: Any, theirs: Any) -> None:
    """Check that what was written of a model does what the model does.

    Raises:
        ValueError: it does not.
    """
    first, second = list(_tensors(ours)), list(_tensors(theirs))
    same = len(first) == len(second) > 0 and all(
        a.shape == b.shape and torch.allclose(a, b, equal_nan=True)
        for a, b in zip(first, second, strict=True)
    )
    if not same:
        raise ValueError("what ran of the library, written as one file, gives something else")
