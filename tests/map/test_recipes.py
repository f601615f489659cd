"""Both halves of a recipe give the same, and what it refers to exists."""

import ast
import importlib
import os
import re
import subprocess
import sys
from inspect import unwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxvstorch._port.map.entry import entry_of
from jaxvstorch._port.map.recipes import recipes
from jaxvstorch._port.map.rows import meaning, row_of, rows

ROOT = Path(__file__).parents[2]
SHARDED = (
    "batch_norm_across_devices",
    "collectives",
    "data_parallel",
    "resharding",
    "sharded_checkpoints",
    "sharded_weights",
)


@pytest.fixture
def frameworks() -> None:
    """Both are compared."""
    pytest.importorskip("torch", reason="both frameworks are compared")
    pytest.importorskip("jax", reason="both frameworks are compared")


# torch.func.linearize uses its own graph so.
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning")
@pytest.mark.parametrize("name", recipes())
def test_both_halves_give_the_same(name, frameworks) -> None:
    module = load(name)
    for package in getattr(module, "NEEDS", ()):
        pytest.importorskip(package)
    in_torch, in_jax = numbers(module.with_torch()), numbers(module.with_jax())
    assert len(in_torch) == len(in_jax) > 0
    tolerance = getattr(module, "TOLERANCE", 1e-5)
    for expected, actual in zip(in_torch, in_jax, strict=True):
        assert expected.shape == actual.shape
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def numbers(result: Any) -> list[np.ndarray]:
    """The numbers in lists, tuples and dictionaries, in order; a dictionary's by its keys."""
    if isinstance(result, dict):
        return [number for key in sorted(result) for number in numbers(result[key])]
    if isinstance(result, list | tuple):
        return [number for part in result for number in numbers(part)]
    return [np.asarray(result, dtype=np.float64)]


def test_four_devices_give_what_one_process_of_pytorch_gives(frameworks) -> None:
    code = (
        "import sys; import numpy as np; from tests.map.test_recipes import load, numbers\n"
        "for name in sys.argv[1:]:\n"
        "    module = load(name)\n"
        "    for pair in zip(numbers(module.with_torch()), numbers(module.with_jax())):\n"
        "        np.testing.assert_allclose(*pair, rtol=1e-5, atol=1e-5, err_msg=name)\n"
    )
    setting = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    subprocess.run(
        [sys.executable, "-c", code, *SHARDED], cwd=ROOT, env=os.environ | setting, check=True
    )


def load(name: str) -> Any:
    """The module of a recipe."""
    return importlib.import_module(f"jaxvstorch._port.map.recipes.{name}")


def test_reading_recipes_imports_neither_framework() -> None:
    code = (
        "import sys; from jaxvstorch._port.map.recipes import recipes; recipes(); "
        "assert not {'jax', 'torch', 'flax', 'optax'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("recipe", recipes().values(), ids=recipes())
def test_what_is_shown_is_code_to_paste(recipe) -> None:
    for code in (recipe.torch, recipe.jax):
        assert isinstance(ast.parse(code).body[-1], ast.Expr)
        assert max(map(len, code.splitlines())) <= 96
    assert recipe.title
    assert recipe.text
    assert (ROOT / f"book/topics/{recipe.page}.md").exists()


def test_titles_are_told_apart() -> None:
    titles = [recipe.title.lower() for recipe in recipes().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("recipe", recipes().values(), ids=recipes())
def test_the_names_exist(recipe, frameworks) -> None:
    for package in getattr(load(recipe.module), "NEEDS", ()):
        pytest.importorskip(package)
    assert len(set(recipe.names)) == len(recipe.names)
    assert [name for name in recipe.names if not exists(name)] == []


ROOTS = {
    "Module": "torch.nn.Module", "Optimizer": "torch.optim.Optimizer", "Tensor": "torch.Tensor",
    "jnp": "jax.numpy", "lax": "jax.lax", "nnx": "flax.nnx",
}  # fmt: skip


OF_INSTANCES = frozenset({"Module.training", "Optimizer.param_groups"})


def exists(name: str) -> bool:
    """Whether a name of either framework, in the map's spelling, can be reached."""
    try:
        lookup(name)
    except (AttributeError, ImportError):
        return name in OF_INSTANCES
    return True


def lookup(name: str) -> Any:
    """What a framework has under a name; its modules are imported where they are not."""
    root, _, rest = name.partition(".")
    first, *attributes = (*ROOTS.get(root, root).split("."), *rest.split("."))
    value, path = importlib.import_module(first), first
    for attribute in attributes:
        path += f".{attribute}"
        if hasattr(value, attribute):
            value = getattr(value, attribute)
        else:
            value = importlib.import_module(path)
    return value


def test_a_form_of_a_name_in_words_is_the_same_object(frameworks) -> None:
    forms = [row for row in rows().values() if row.form_of and meaning(row).option("instead")]
    same = {row.name: (lookup(row.name), lookup(row.form_of or "")) for row in forms}
    unlike = [name for name, (form, base) in same.items() if unwrap(form) != unwrap(base)]
    assert unlike == []


def test_a_row_in_words_leads_to_the_recipe_that_names_it() -> None:
    named = {name for recipe in recipes().values() for name in recipe.names}
    words = [row for row in rows().values() if row.option("instead")]
    assert [row.name for row in words if row.name in named and not row.option("recipe")] == []


def test_the_names_of_jax_in_words_exist(frameworks) -> None:
    pattern = re.compile(r"(?<![\w.])(?:jax|jnp|lax|nnx|optax|grain)(?:\.\w+)+")
    missing = {
        name: row.name
        for row in rows().values()
        for code in re.findall("`([^`]+)`", row.option("instead") or "")
        for name in pattern.findall(code)
        if not exists(name)
    }
    assert missing == {}


def test_every_recipe_is_reached_by_a_name() -> None:
    assert [recipe.module for recipe in recipes().values() if not recipe.names] == []


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.utils.parametrizations.spectral_norm", "torch.nn.TransformerDecoder",
        "torch.autograd.functional.vhp", "Optimizer.zero_grad", "Tensor.__setitem__",
        "torch.utils.data.dataset.Dataset", "nnx.SpectralNorm", "optax.MultiSteps",
    ],
)  # fmt: skip
def test_a_recipe_calls_the_name_that_it_answers(name) -> None:
    assert entry_of(row_of(name)).in_recipe


@pytest.mark.parametrize("name", ["torch.onnx.export", "torch.nn.Transformer", "nnx.jit"])
def test_a_recipe_of_something_near_a_name_does_not_claim_to_answer_it(name) -> None:
    assert not entry_of(row_of(name)).in_recipe
