"""The names that the frameworks do not promise to keep: all are listed, and all are there."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import jaxvstorch
from jaxvstorch import explain, ledger
from jaxvstorch._frameworks import adapter
from jaxvstorch._frameworks.private import REFUSED, MissingNameError, Name, gone
from jaxvstorch._frameworks.proven import PROVEN

PACKAGE = Path(jaxvstorch.__file__).parent
# The halves show what is private where their page says so; recipes and functions to paste, what
# people call.
ELSEWHERE = [
    path
    for path in PACKAGE.rglob("*.py")
    if not {"examples", "recipes", "paste_torch", "own_cells.py"} & {*path.parts}
    and path.parent.name != "private"
]


@pytest.fixture
def x(framework) -> Any:
    """Four floats, as an array of the framework."""
    return adapter(framework).from_numpy(np.arange(4, dtype=np.float32))


def private(framework: str) -> ModuleType:
    return importlib.import_module(f"jaxvstorch._frameworks.private.{framework}")


def test_the_installed_version_has_all_of_them(framework) -> None:
    version = importlib.import_module(framework).__version__.partition("+")[0]
    missing = private(framework).gone()
    assert missing == {}, f"{framework} {version}, tested with {PROVEN[framework]}"


def test_each_says_what_is_done_without_it(framework) -> None:
    names = [*private(framework).NAMES.values(), *private(framework).ATTRIBUTES]
    assert all(name.without for name in names)
    assert len({name.path for name in names}) == len(names)


def test_one_that_is_gone_is_named(framework, x, monkeypatch) -> None:
    names = private(framework).NAMES
    moved = Name("collections:moved_elsewhere")
    needed = {"jax": "profile_version", "torch": "compile_lock"}[framework]
    monkeypatch.setitem(names, needed, moved)
    with pytest.raises(RuntimeError, match=r"lacks or has moved \(collections:moved_elsewhere\)"):
        explain(lambda x: x + 1, x)
    assert private(framework).gone() == {"collections:moved_elsewhere": REFUSED}


@pytest.mark.parametrize(
    "place", ["collections:moved", "collections.moved:a", "collections:Counter.moved"]
)
def test_a_place_that_is_not_there_is_missing(place) -> None:
    with pytest.raises(MissingNameError, match=re.escape(place)):
        Name(place).get()


def test_what_is_done_without_the_others(framework, x, monkeypatch) -> None:
    names = private(framework).NAMES
    needed = (REFUSED, names["pytree"].without) if "pytree" in names else (REFUSED,)
    optional = [key for key, name in names.items() if name.without not in needed]
    assert optional
    for key in optional:
        monkeypatch.setitem(names, key, Name("collections:moved", names[key].without))
    explanation = explain(lambda x: x + 1, x).with_stages()
    assert [program.operations for program in explanation.programs] == [{"A": 1}]
    if framework == "torch":
        assert "MissingNameError: collections:moved" in "".join(explanation.missing)
    book = ledger(adapter(framework).compile(doubled), [(x,), (x,), (x[:2],)])
    assert [call.error for call in book.calls] == [None] * 3
    assert book.traces == [1, 0, 1]


def doubled(x):
    return x + x


def test_a_function_of_torch_compile_tells_what_it_was_made_of() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    names = private("torch")
    module = torch.nn.Identity()
    assert getattr(torch.compile(abs_of, backend="eager"), names.ORIGINAL_FUNCTION) is abs_of
    assert getattr(torch.compile(module, backend="eager"), names.ORIGINAL_MODULE) is module


def abs_of(x):
    return abs(x)


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_they_are_used_through_their_list_alone(path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = [name for name in names_used(tree) if is_private(name)]
    assert used == [], "list them in _frameworks/private/<framework>.py"


def names_used(tree: ast.AST) -> Iterator[str]:
    """Modules imported, names taken from them, and what is taken from jax and torch by dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^[a-z_]+(?:\.\w+)+$", node.value)


def is_private(name: str) -> bool:
    root, *rest = name.split(".")
    return root in ("jax", "jaxlib", "torch") and any(re.match(r"_(?!_)", part) for part in rest)


def test_what_counts_as_private() -> None:
    found: Any = ast.parse("import torch._dynamo\nfrom jax._src import core\ntorch.utils._pytree.x")
    assert all(map(is_private, set(names_used(found)) - {"torch.utils"}))
    assert not is_private("torch.utils.checkpoint")
    assert gone({}) == {}
