"""The framework of the function that the command line names: told by it, or refused with a cure."""

from functools import partial
from pathlib import Path

import pytest

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._command.request import compiled_by, framework_of
from jaxvstorch._command.target import load

JAX = "import jax\nimport jax.numpy as jnp"
TORCH = "import torch\nfrom torch import nn"
BOTH = f"{JAX}\n{TORCH}"

HELPERS = "def of_jax(x): return jnp.sin(x)\ndef of_torch(x): return torch.sin(x)"
# Each calls the other: what is followed must not be followed for ever.
NEITHER = "def f(x): return calls_back(x) + 1\ndef calls_back(x): return x and f(x)"
IMPORTS_INSIDE = "def f(x):\n    import torch.nn.functional as F\n    return F.relu(x)"
CLOSES_OVER = "def g(h):\n    return lambda x: h(x)"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    """An empty folder is the working directory."""
    monkeypatch.chdir(tmp_path)


def write_told(imports: str, text: str) -> None:
    """A file with these imports, among others, and a function ``f``."""
    general = "import functools\nimport numpy as np"
    Path("told.py").write_text(f"{general}\n{imports}\n{HELPERS}\n{text}\n")


def skip_without(*needed: str) -> None:
    for framework in needed:
        pytest.importorskip(framework, reason=f"{framework} is not installed")


@pytest.mark.parametrize(
    ("imports", "text", "framework"),
    [
        pytest.param(JAX, NEITHER, "jax", id="its module, of JAX"),
        pytest.param(TORCH, NEITHER, "torch", id="its module, of PyTorch"),
        pytest.param(BOTH, "def f(x): return jnp.sin(x)", "jax", id="a name of JAX"),
        pytest.param(BOTH, "def f(x): return torch.sin(x)", "torch", id="a name of PyTorch"),
        pytest.param(BOTH, "def f(x): return (lambda y: of_jax(y))(x)", "jax", id="what it calls"),
        pytest.param(BOTH, IMPORTS_INSIDE, "torch", id="what it imports"),
        pytest.param(BOTH, "def f(x): return torch.of_jax(x)", "torch", id="no attribute"),
        pytest.param(BOTH, "f = functools.partial(of_jax, x=3)", "jax", id="a partial"),
        pytest.param(BOTH, f"{CLOSES_OVER}\nf = lambda x: g(jnp.sin)(x)", "jax", id="a lambda"),
        pytest.param(BOTH, f"{CLOSES_OVER}\nf = g(jnp.sin)", "jax", id="a closure"),
        pytest.param(BOTH, "f = nn.Linear(2, 2)", "torch", id="a module of PyTorch"),
        pytest.param(f"{TORCH}\nimport jax.numpy as jnp", "f = jnp.where", "jax", id="JAX's own"),
        pytest.param(BOTH, "f = jax.jit(lambda x: x)", "jax", id="jax.jit"),
        pytest.param(BOTH, "f = torch.compile(lambda x: x)", "torch", id="torch.compile"),
    ],
)
def test_the_function_or_else_its_module_tells_the_framework(imports, text, framework) -> None:
    skip_without(*(name for name in _frameworks.FRAMEWORKS if f"import {name}" in imports))
    write_told(imports, text)
    with load("told.py:f") as target:
        assert framework_of(target, None) == framework


def test_a_static_value_tells_too() -> None:
    skip_without(*_frameworks.FRAMEWORKS)
    write_told(BOTH, NEITHER)
    with load("told.py:f") as target:
        assert framework_of(target, None, [3, target.module.of_jax]) == "jax"
        assert framework_of(target, None, [3, target.module.torch.relu]) == "torch"


@pytest.mark.parametrize(
    ("imports", "text", "said"),
    [
        ("", NEITHER, "names neither framework: use --framework jax, torch or both"),
        (BOTH, NEITHER, "uses both frameworks: use --framework"),
        (BOTH, "def f(x): return of_jax(x) + of_torch(x)",
         "uses both frameworks: use --framework"),
    ],
    ids=["neither", "both are imported", "both are used"],
)  # fmt: skip
def test_where_nothing_tells_the_framework_it_must_be_given(imports, text, said) -> None:
    skip_without(*_frameworks.FRAMEWORKS)
    write_told(imports, text)
    with load("told.py:f") as target:
        with pytest.raises(BadInputError) as caught:
            framework_of(target, None)
        assert str(caught.value).startswith(f"told.py:f {said}")
        assert framework_of(target, "jax") == "jax"
        assert framework_of(target, "torch") == "torch"


def test_an_unknown_framework_is_refused() -> None:
    write_told("", NEITHER)
    said = "--framework must be jax, torch or both, not 'tensorflow'"
    with load("told.py:f") as target, pytest.raises(BadInputError, match=said):
        framework_of(target, "tensorflow")


def test_a_framework_cannot_contradict_the_compiler() -> None:
    skip_without("jax")
    write_told(JAX, "f = jax.jit(lambda x: x)")
    said = "contradicts told.py:f, which jax.jit compiled"
    with load("told.py:f") as target, pytest.raises(BadInputError, match=said):
        framework_of(target, "torch")


def test_the_compiler_of_a_function_is_told_apart() -> None:
    assert compiled_by(partial(max)) is None
    assert compiled_by(len) is None
