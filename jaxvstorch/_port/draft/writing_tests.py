"""Writes the test file beside a draft: it holds the parity that was seen, without PyTorch."""

import ast
import errno
import io
import re
import zlib
from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
from flax import nnx

from jaxvstorch._files import require_replaceable, write_marked, write_whole
from jaxvstorch._pairs.source import names_read
from jaxvstorch._port.draft.cases import Case, function_case, module_case, step_case
from jaxvstorch._port.draft.formatting import wrapped
from jaxvstorch._port.draft.helpers import with_names
from jaxvstorch._port.draft.layers import definitions, needed_sources
from jaxvstorch._port.draft.parity import loaded
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.testing_words import NNX, Words
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.report_data import short

LIMIT = 4_000_000  # bytes of the file of values
_LIBRARIES = {
    "Path": "from pathlib import Path", "mock": "from unittest import mock",
    "contextmanager": "from contextlib import contextmanager", "nnx": "from flax import nnx",
    "partial": "from functools import partial", "Namespace": "from argparse import Namespace",
    "jax": "import jax", "jnp": "import jax.numpy as jnp", "np": "import numpy as np",
    "optax": "import optax", "eqx": "import equinox as eqx",
}  # fmt: skip
_STANDARD = ("argparse", "contextlib", "functools", "pathlib", "unittest")


def write_tests(
    path: Path, recording: Recording, results: Mapping[str, str], of: str = "", style: str = "nnx"
) -> str | None:
    """Write the test file of a draft, and its values; a sentence on it, or None if nothing is held.

    Args:
        path: of the draft.
        recording: of the program's run.
        results: of comparing each part of the draft.
        of: what the draft is of, if not the program.
        style: of the draft.

    Raises:
        OSError: a file cannot be written; see ``require_replaceable`` too.
    """
    if not any(text.startswith("at parity") for text in results.values()):
        return None
    tests = path.with_name(f"test_{path.name}")
    _require_own(tests)
    cases, left = _cases(path, recording, results, style)
    if not cases:
        return None
    data = _compressed({n: v for case in cases for n, v in case.values.items()})
    values = tests.with_suffix(".npz")
    write_whole(data, values)
    program = of or short(str(recording.file))
    write_marked(
        _source(path, program, cases, left, f"{zlib.crc32(data):08x}", recording.names), tests
    )
    parts = "1 part" if len(cases) == 1 else f"{len(cases)} parts"
    return f"{short(str(tests))} tests {parts} of the draft again, on the values in {values.name}."


def _require_own(tests: Path) -> None:
    """Check that the test file, and its values, are absent or as they were written here.

    Raises:
        OSError: one is not, or cannot be read.
    """
    require_replaceable(tests)
    values = tests.with_suffix(".npz")
    if values.exists():
        text = tests.read_text(encoding="utf-8") if tests.exists() else ""
        if f"checksum is {zlib.crc32(values.read_bytes()):08x}" not in text:
            why = f"{values.name} is there, and is not as jaxvstorch wrote it"
            raise FileExistsError(errno.EEXIST, why)


def _cases(
    path: Path, recording: Recording, results: Mapping[str, str], style: str
) -> tuple[list[Case], dict[str, str]]:
    """The tests that pass, and the reasons why other parts have none."""
    draft = loaded(path, recording.names)
    words = NNX
    if style != "nnx":
        from jaxvstorch._port.draft.styles.testing import StyleWords

        words = StyleWords(draft, recording)
    cases, left, sizes = list[Case](), dict[str, str](), dict[str, int]()
    for name, result in results.items():
        if not result.startswith("at parity"):
            left[name] = result
            continue
        try:
            wide = "in float32, which" not in result
            case = _case(name, path, recording, wide, words)
            case.lines = [with_names(line, recording.names, "draft.") for line in case.lines]
            _run(case, draft, recording.names)
        except AssertionError:  # such as of a part that computes something in float32
            left[name] = "its results in float64 differ by more than rounding"
            continue
        except Exception as error:
            known = isinstance(error, LookupError) and not isinstance(error, KeyError)
            left[name] = str(error) if known else error_text(error)
            continue
        new = {n: len(_compressed({n: v})) for n, v in case.values.items() if n not in sizes}
        if sum(sizes.values()) + sum(new.values()) > LIMIT:
            left[name] = f"its values take {sum(new.values()) / 1e6:.1f} MB"
            continue
        sizes |= new
        cases.append(case)
    return cases, left


def _case(name: str, path: Path, recording: Recording, wide: bool, words: Words) -> Case:
    for steps in recording.steps.values():
        if steps.drafted is not None and steps.drafted.name == name:
            if steps.drafted.returns:
                raise LookupError("it returns gradients, and takes no step")
            return step_case(steps, recording, _returns_tuple(path, name), wide, words)
    call = recording.first_calls[name]
    make = module_case if isinstance(call.function, torch.nn.Module) else function_case
    return make(call, wide, words)


def _returns_tuple(path: Path, name: str) -> bool:
    """Whether a function of the draft returns several values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (function,) = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    last = function.body[-1]
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)


def _run(case: Case, draft: ModuleType, renamed: Mapping[str, str]) -> None:
    """Run a test as it will be in the file."""
    text = _test(case, "test")
    names: dict[str, Any] = {
        "draft": draft, "VALUES": case.values, "jax": jax, "jnp": jnp, "np": np, "nnx": nnx,
        "optax": optax, "partial": partial, "Namespace": Namespace,
        "eqx": getattr(draft, "eqx", None),
    }  # fmt: skip
    heads = "from contextlib import contextmanager\nfrom unittest import mock\n"
    exec("\n\n\n".join([heads, *_helpers(text, renamed, case.words), text]), names)
    names["test"]()


def _helpers(text: str, renamed: Mapping[str, str], words: Words) -> list[str]:
    """The sources that a test needs."""
    own = needed_sources(text, definitions("checks.py") | definitions(words.checks))
    loading = f"draft.{renamed.get('from_torch', 'from_torch')}("
    own = {name: part.replace("draft.from_torch(", loading) for name, part in own.items()}
    drawing = needed_sources(text, dict(definitions("given_draws.py")))
    return [*drawing.values(), *own.values()]


def _test(case: Case, name: str) -> str:
    contexts = ["jax.enable_x64(True)"] * case.wide
    in_steps = any("Draws()" in line for line in case.lines)
    contexts += ["Draws().handed_over()"] * (case.draws and not in_steps)
    lines = [f"with {', '.join(contexts)}:"] if contexts else []
    lines += [f"{'    ' * bool(contexts)}{line}" for line in case.lines]
    return "\n".join([f"def {name}():", *(part for x in lines for part in wrapped(f"    {x}"))])


def _source(
    path: Path,
    program: str,
    cases: Sequence[Case],
    left: Mapping[str, str],
    checksum: str,
    renamed: Mapping[str, str],
) -> str:
    names = dict[str, Case]()
    for case in cases:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", case.name).lower()
        names[f"test_{case.name if f'test_{words}' in names else words}"] = case
    tests = [_test(case, name) for name, case in names.items()]
    values = f"test_{path.stem}.npz"
    head = f'"""Tests of {path.name}: it computes what {program} computed in PyTorch.\n\n'
    head += f"The weights, inputs and results of one run are in {values}.\n"
    every = [value for case in cases for value in case.values.values()]
    if any(value.dtype == np.float16 for value in every):
        head += "To keep it small, it has large arrays of weights in float16.\n"
    if any(value.dtype.kind == "f" and np.isnan(value).any() for value in every):
        head += (
            "Numbers that are NaN in it are not compared: most of a large result are, and weights\n"
        )
        head += "whose gradients are nothing but roundings.\n"
    if left:
        head += "\nNot tested:\n" + "".join(f"- {n}: {_first(text)}\n" for n, text in left.items())
    body = "\n\n\n".join([*tests, *_helpers("\n\n".join(tests), renamed, cases[0].words)])
    read = names_read(body) | {"Path", "np"}
    lines = [line for name, line in _LIBRARIES.items() if name in read]
    standard = sorted(line for line in lines if line.split()[1].split(".")[0] in _STANDARD)
    others = sorted(set(lines) - set(standard), key=lambda line: (line.startswith("from"), line))
    own = f"import {path.stem} as draft" if path.stem != "draft" else "import draft"
    loading = (
        f"# {values}, whose checksum is {checksum}\n"
        'VALUES = np.load(Path(__file__).with_suffix(".npz"))'
    )
    return "\n\n".join([f'{head}"""', "\n".join(standard), "\n".join(others), own, loading]) + (
        f"\n\n\n{body}\n"
    )


def _first(text: str) -> str:
    return text.partition(";")[0].partition("\n")[0][:90].strip()


def _compressed(values: Mapping[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **values)  # type: ignore[arg-type]
    return buffer.getvalue()
