"""What a program's draft reached: parity of the model and of its steps, length, what is left."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jaxvstorch._port.draft import loading, own_layers, own_recurrent
from jaxvstorch._port.draft.commenting import TODO, count_unverified
from jaxvstorch._port.map import pasting

STEPS = re.compile(r"after (\d+ steps?|a step) |^not compared: its optimizer")
STEP = re.compile("train_step|add_gradients|update_weights")
HARMLESS = ("at parity", "takes ", "reads a module")


def describe(
    draft: Path, models: Iterable[str], parity: dict[str, str], folder: Path
) -> dict[str, Any]:
    """The entries of a draft in the table's row.

    Args:
        draft: its file.
        models: the names of the program's modules as a whole.
        parity: the result of comparing each part, by its name.
        folder: of the program.
    """
    text = draft.read_text(encoding="utf-8") if draft.exists() else ""
    results = [parity.get(name, "") for name in models]
    stepped = [result for result in parity.values() if STEPS.search(result)]
    return {
        "model_at_parity": bool(results) and all(map(_is_at_parity, results)),
        "steps_at_parity": bool(stepped) and all(map(_is_at_parity, stepped)),
        "lines": _lines(text, folder),
        "reasons": _reasons(text, parity, stepped),
        "not_verified": count_unverified(text),
    }


def _is_at_parity(result: str) -> bool:
    return result.startswith("at parity")


def _reasons(text: str, parity: dict[str, str], stepped: list[str]) -> list[str]:
    """Why the draft is not at parity as a whole; empty if it is."""
    marks = dict.fromkeys(re.findall(rf"# {TODO}(.*)", text))
    parts = [
        f"`{name}`: {result}"
        for name, result in parity.items()
        if not result.startswith((*HARMLESS, "left to do"))
    ]
    untried = [] if stepped or marks or parts else ["no step that could be compared"]
    return [*parts, *marks, *untried] if text else ["no draft"]


def _lines(text: str, folder: Path) -> dict[str, int]:
    """Lines of code: of the program's files in the draft, of the draft, and of its own part.

    A draft's own part is without ``from_torch``, the layers and functions that it brings along, and
    what is from a library.
    """
    if not text:
        return {}
    files = re.match(r'"""A draft of (.*?)(, with .*?)? in JAX,', text, re.DOTALL)
    assert files is not None
    paths = [path for name in re.split(r",\s+", files[1]) if (path := folder / name).exists()]
    program = sum(len(_code(path.read_text(encoding="utf-8"))) for path in paths)
    code = _code(text)
    own = set().union(*(_of_file(str(path)) for path in paths)) if files[2] else set()
    brought = {
        line
        for node in ast.parse(text).body
        if _names(node) & _BROUGHT or (files[2] and _is_of_library(node, own))
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    return {"program": program, "draft": len(code), "own": len(code - brought)}


def _is_of_library(node: ast.stmt, own: set[str]) -> bool:
    """Whether a definition is neither the program's nor a step of its training."""
    names = _names(node) if isinstance(node, ast.ClassDef | ast.FunctionDef) else set()
    return bool(names) and not names & own and not any(STEP.match(name) for name in names)


def _code(text: str) -> set[int]:
    """The numbers of the lines that hold code: no blank line, comment or docstring."""
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        line
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    rows = enumerate(text.splitlines(), 1)
    return {i for i, row in rows if row.strip() and not row.lstrip().startswith("#")} - docs


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name.removesuffix("_")}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _of_file(path: str | None) -> set[str]:
    assert path is not None
    return set().union(*map(_names, ast.parse(Path(path).read_text(encoding="utf-8")).body))


def _of_map() -> set[str]:
    files = Path(pasting.__file__).with_name("paste").glob("*.py")
    return set().union(*(_of_file(str(file)) for file in files))


_FILES = (loading.__file__, own_layers.__file__, own_recurrent.__file__)
_BROUGHT = _of_map().union(*map(_of_file, _FILES))
