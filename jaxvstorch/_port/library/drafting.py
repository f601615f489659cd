"""Drafts a library's model in JAX, by way of one file of PyTorch."""

import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxvstorch._files import require_replaceable, write_marked
from jaxvstorch._port.draft.commenting import count_marks, count_unverified
from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.finishing import write_tests_beside
from jaxvstorch._port.draft.parity import compare_parts, left_to_do
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.library.extracting import Extracted, extracted
from jaxvstorch._port.library.running import run_file
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import short


def draft(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    path: Path,
    limit: int,
    style: str = "nnx",
) -> PortReport:
    """Write the draft of a library's model; the report on its calls and its parity.

    Args:
        function: the model, or a function that makes one and calls it.
        args: that it is called with.
        kwargs: the same by name.
        path: of the draft.
        limit: how many calls of one function on one line are repeated.
        style: of the draft.

    Raises:
        OSError: the draft cannot be written.
        TypeError: no model is called.
        ValueError: it is not known what the model was made with, or what ran of it, written as
            one file, gives something else.
    """
    require_replaceable(path)
    model = extracted(function, args, kwargs)
    return drafted(model, path, limit, style)


def drafted(model: Extracted, path: Path, limit: int, style: str = "nnx") -> PortReport:
    """Write the draft of a library's model and its tests; the report on its calls and its parity.

    Args:
        model: as one file of PyTorch.
        path: of the draft.
        limit: how many calls of one function on one line are repeated.
        style: of the draft.

    Raises:
        ValueError: the file of PyTorch gives something else than the library.
    """
    name = model.calls[0].name
    with tempfile.TemporaryDirectory() as folder:
        recording, replay = run_file(model, Path(folder, f"{name}.py"), limit)
        try:
            source = compose(recording, f"{name}, as {model.package} has it,", style)
        except CannotWriteError as error:
            raise ValueError(f"style={style!r} has no words yet for {error}") from error
        write_marked(source, path)
        results = replay.report.parity
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results |= dict(compare_parts(path, source, recording, style))
            of = f"{name} of {model.package}"
            tests = write_tests_beside(path, recording, results, of, style)
    unverified = count_unverified(source)
    left = left_to_do(count_marks(source), list(results.values()), unverified)
    replay.report.notes += [
        f"The lines are those of {name} as one file of PyTorch, with only what ran.",
        *filter(None, [tests]),
        f"The draft is in {short(str(path))}; {left}.",
    ]
    return replay.report
