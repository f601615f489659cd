"""Both halves of a pair have one signature, and it is checked where tests call it."""

import ast
import importlib
import re
from importlib.util import find_spec

import numpy as np
import pytest
from checked import checked
from jaxtyping import TypeCheckError

from jaxvstorch import _frameworks
from jaxvstorch._pairs import source
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS

INSTALLED = [name for name in _frameworks.FRAMEWORKS if find_spec(name)]
SELECT = next(pair for pair in PAIRS if str(pair) == "branching.select_where")

each_framework = pytest.mark.parametrize("framework", INSTALLED)


def definition(pair: Pair, framework: str) -> ast.FunctionDef:
    (node,) = ast.parse(source.definition(pair.topic, framework, pair.name)).body
    assert isinstance(node, ast.FunctionDef)
    return node


def call_checked(framework: str, x: np.ndarray) -> object:
    arguments = SELECT.to_framework(framework, (np.bool_(True), x))
    return checked(SELECT, framework)(*arguments)


def arguments(node: ast.FunctionDef) -> list[ast.arg]:
    rest = [arg for arg in (node.args.vararg, node.args.kwarg) if arg]
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *rest]


def signature(node: ast.FunctionDef) -> str:
    """Arguments and result, with one word for the arrays of both frameworks."""
    text = f"({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}" if node.returns else ""
    return re.sub(r"\bTensor\b", "Array", text)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_everything_is_annotated(pair) -> None:
    for framework in _frameworks.FRAMEWORKS:
        node = definition(pair, framework)
        assert node.returns
        assert [arg.arg for arg in arguments(node) if arg.annotation is None] == []


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_both_halves_have_the_same_arguments_shapes_and_dtypes(pair) -> None:
    ours, theirs = (signature(definition(pair, framework)) for framework in _frameworks.FRAMEWORKS)
    assert ours == theirs
    without_shape = re.findall(r"(?:: |-> )(?:Array|Tensor)\b", ours)
    assert without_shape == [], "give shapes and dtypes, as in Float[Array, 'n']"


@each_framework
@pytest.mark.parametrize(
    "x", [np.ones((2, 2), np.float32), np.float32(1), np.ones(2, np.int32)], ids=["2d", "0d", "int"]
)
def test_a_wrong_argument_is_caught(framework, x) -> None:
    with pytest.raises(TypeCheckError, match="parameter 'x'"):
        call_checked(framework, x)


@each_framework
def test_a_wrong_result_is_caught(monkeypatch, framework) -> None:
    half = importlib.import_module(f"jaxvstorch.examples.branching.{framework}")
    library = half.jnp if framework == "jax" else half.torch
    monkeypatch.setattr(library, "where", lambda predicate, a, b: a[:1])
    with pytest.raises(TypeCheckError, match="return value"):
        call_checked(framework, np.ones(3, np.float32))
