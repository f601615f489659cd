"""Every pair gives the reference's values and gradients: eager, as a graph, and compiled.

In the gate Inductor compiles one pair of each topic, and all pairs of a topic that changed.
With ``--matrix`` it compiles all of them, and further arguments are drawn.
"""

import numpy as np
import pytest
from changed_topics import changed_topics
from checked import checked
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import needs_compiler
from pasted import pasted

from jaxvstorch import _frameworks
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS
from jaxvstorch._parity import check_parity

pytest.importorskip("jax", reason="pairs compare both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="pairs compare both frameworks; no PyTorch here")

pytestmark = pytest.mark.usefixtures("memory_freed", "strict_promotion")
forgetful = pytest.mark.usefixtures("fresh_torch_compile")
WITH_REFERENCE = [pair for pair in PAIRS if pair.reference is not None]
PLAIN = [pair for pair in WITH_REFERENCE if pair.jit and pair.fullgraph]
# A topic may have no pair that both compilers take whole; then none stands for it.
SENTINELS = list({pair.topic: pair for pair in reversed(PLAIN)}.values())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the pairs that Inductor compiles; mark those that stand for their topic."""
    if "inductor_pair" not in metafunc.fixturenames:
        return
    every = metafunc.config.getoption("matrix")
    changed = changed_topics()
    chosen = [p for p in WITH_REFERENCE if every or p in SENTINELS or p.topic in changed]
    marks = {True: pytest.mark.sentinel, False: ()}
    metafunc.parametrize(
        "inductor_pair",
        [pytest.param(pair, id=str(pair), marks=marks[pair in SENTINELS]) for pair in chosen],
    )


def compiled_by_jax(pair: Pair):
    function = pair.half("jax")
    return _frameworks.adapter("jax").compile(function, pair.static) if pair.jit else function


def require_parity(pair: Pair, inputs, jax_function, torch_function, gradient=True) -> None:
    check_parity(
        jax_function,
        torch_function,
        inputs,
        reference=pair.reference,
        gradient=pair.gradient if gradient else (),
        tolerance=pair.tolerance,
        convert=pair.to_framework,
    ).require()


@pytest.mark.parametrize("pair", WITH_REFERENCE, ids=str)
@pytest.mark.parametrize(
    ("size", "dtype", "seed"),
    [(1, np.float32, 0), (7, np.float32, 1), (4, np.float64, 2)],
    ids=["1 of float32", "7 of float32", "4 of float64"],
)
def test_eager(pair: Pair, size: int, dtype: type, seed: int) -> None:
    inputs = pair.make_inputs(size, dtype, seed)
    require_parity(pair, inputs, checked(pair, "jax"), checked(pair, "torch"))


@pytest.mark.parametrize("pair", WITH_REFERENCE, ids=str)
def test_without_a_gradient_and_from_what_show_prints(pair: Pair) -> None:
    halves = pasted(pair, "jax"), pasted(pair, "torch")
    require_parity(pair, pair.make_inputs(7), *halves, gradient=False)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair.reference], ids=str)
@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_a_pair_without_an_answer_keeps_its_signature(pair: Pair, framework: str) -> None:
    for half in (checked(pair, framework), pasted(pair, framework)):
        half(*pair.to_framework(framework, pair.make_inputs(4)))


@forgetful
@pytest.mark.parametrize("pair", WITH_REFERENCE, ids=str)
def test_graphs(pair: Pair) -> None:
    """One program of both compilers, without the code that Inductor would write; two shapes."""
    jax_function = compiled_by_jax(pair)
    options = {"fullgraph": pair.fullgraph, "backend": "aot_eager"}
    torch_function = torch.compile(pair.half("torch"), **options)
    for size in (7, 12):
        require_parity(pair, pair.make_inputs(size), jax_function, torch_function)
    require_parity(pair, pair.make_inputs(7), jax_function, torch_function, gradient=False)


@needs_compiler
@forgetful
def test_inductor(inductor_pair: Pair) -> None:
    """Value and gradient in float32, from one graph."""
    torch_function = torch.compile(inductor_pair.half("torch"), fullgraph=inductor_pair.fullgraph)
    inputs = inductor_pair.make_inputs(7)
    require_parity(inductor_pair, inputs, compiled_by_jax(inductor_pair), torch_function)


@pytest.mark.matrix
@needs_compiler
@forgetful
@pytest.mark.parametrize("pair", WITH_REFERENCE, ids=str)
def test_inductor_in_full(pair: Pair) -> None:
    """Sizes are symbols for the second shape. Each also without a gradient."""
    torch_function = torch.compile(pair.half("torch"), fullgraph=pair.fullgraph)
    jax_function = compiled_by_jax(pair)
    for size, dtype in ((7, np.float32), (12, np.float32), (12, np.float64)):
        inputs = pair.make_inputs(size, dtype)
        require_parity(pair, inputs, jax_function, torch_function)
        require_parity(pair, inputs, jax_function, torch_function, gradient=False)


@pytest.mark.matrix
@pytest.mark.parametrize("pair", WITH_REFERENCE, ids=str)
@given(
    size=st.sampled_from((1, 2, 7)),
    dtype=st.sampled_from((np.float32, np.float64)),
    seed=st.integers(0, 2**32 - 1),
    jitted=st.booleans(),
)
# A new shape compiles every JAX primitive anew, so single examples are slow and few.
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
def test_drawn_arguments(pair: Pair, size: int, dtype: type, seed: int, jitted: bool) -> None:
    inputs = pair.make_inputs(size, dtype, seed)
    jax_function = compiled_by_jax(pair) if jitted else pair.half("jax")
    require_parity(pair, inputs, jax_function, pair.half("torch"))
