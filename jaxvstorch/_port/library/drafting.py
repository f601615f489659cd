"""Drafts a library's model in JAX, by way of one file of PyTorch."""

import importlib.util
import linecache
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, ValuesView
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from jaxvstorch._files import require_replaceable, write_marked
from jaxvstorch._port.draft.composing import compose, count_marks
from jaxvstorch._port.draft.finishing import write_tests_beside
from jaxvstorch._port.draft.parity import compare_parts, left_to_do
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.library.extracting import Extracted, extracted
from jaxvstorch._port.library.settings import is_settings
from jaxvstorch._port.replay import Replay
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import short


def draft(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    path: Path,
    limit: int,
) -> PortReport:
    """Write the draft of a library's model; the report on its calls and its parity.

    Args:
        function: the model, or a function that makes one and calls it.
        args: that it is called with.
        kwargs: the same by name.
        path: of the draft.
        limit: how many calls of one function on one line are repeated.

    Raises:
        OSError: the draft cannot be written.
        TypeError: no model is called.
        ValueError: it is not known what the model was made with, or what ran of it, written as
            one file, gives something else.
    """
    require_replaceable(path)
    model = extracted(function, args, kwargs)
    return drafted(model, path, limit)


def drafted(model: Extracted, path: Path, limit: int) -> PortReport:
    """Write the draft of a library's model and its tests; the report on its calls and its parity.

    Args:
        model: as one file of PyTorch.
        path: of the draft.
        limit: how many calls of one function on one line are repeated.

    Raises:
        ValueError: the file of PyTorch gives something else than the library.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{model.name}.py")
        file.write_text(model.text, encoding="utf-8")
        module = _imported(file)
        recording = Recording(str(Path(folder, "run.py")))
        replay = Replay(limit, recording.record)
        try:
            with replay, recording.watching():
                values = {name: _own(module, value) for name, value in model.made_with.items()}
                new = getattr(module, model.name)(**values)
                new.load_state_dict(model.state_dict)
                new.train(model.training)
                result = new(**model.called_with)
        except Exception as error:
            line = error.__traceback__ and traceback.extract_tb(error.__traceback__)[-1].line
            raise ValueError(
                f"what ran of {model.package}, written as one file, fails at `{line}`: {error}"
            ) from error
        require_equal(result, model.result)
        recording.argument_types = replay.argument_types
        source = compose(recording, f"{model.name}, as {model.package} has it,")
        write_marked(source, path)
        linecache.getlines(str(file))  # the report shows them
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            replay.report.parity |= dict(compare_parts(path, source, recording))
            tests = write_tests_beside(
                path, recording, replay.report.parity, f"{model.name} of {model.package}"
            )
    left = left_to_do(count_marks(source), list(replay.report.parity.values()))
    replay.report.notes += [
        f"The lines are those of {model.name} as one file of PyTorch, with only what ran.",
        *filter(None, [tests]),
        f"The draft is in {short(str(path))}; {left}.",
    ]
    return replay.report


def _imported(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _own(module: ModuleType, value: Any) -> Any:
    """The file's settings for those of the library; other values as they are."""
    return getattr(module, type(value).__name__)() if is_settings(value) else value


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
