"""Every pair gives the reference's values and gradients: eager, under jit, under torch.compile."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import needs_compiler

from jaxvstorch.pair import Pair
from jaxvstorch.parity import check_parity
from jaxvstorch.registry import PAIRS

pytest.importorskip("jax", reason="pairs compare both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="pairs compare both frameworks; no PyTorch here")

with_reference = [pair for pair in PAIRS if pair.reference is not None]
pytestmark = pytest.mark.usefixtures("strict_promotion")


def require_parity(pair: Pair, inputs, jax_function, torch_function) -> None:
    check_parity(
        jax_function,
        torch_function,
        inputs,
        reference=pair.reference,
        gradient=pair.gradient,
        tolerance=pair.tolerance,
        convert=pair.to_framework,  # where there is a GPU, both compute on it
    ).require()


def compiled_by_jax(pair: Pair):
    import jax

    function = pair.half("jax")
    return jax.jit(function, static_argnames=pair.static) if pair.jit else function


@pytest.mark.parametrize("pair", with_reference, ids=str)
@given(
    size=st.sampled_from((1, 2, 7)),
    dtype=st.sampled_from((np.float32, np.float64)),
    seed=st.integers(0, 2**32 - 1),
    jitted=st.booleans(),
)
# A new shape compiles every JAX primitive anew, so single examples are slow and few.
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
def test_drawn_arguments(pair: Pair, size, dtype, seed, jitted) -> None:
    inputs = pair.make_inputs(size, dtype, seed)
    jax_function = compiled_by_jax(pair) if jitted else pair.half("jax")
    require_parity(pair, inputs, jax_function, pair.half("torch"))


@needs_compiler
@pytest.mark.usefixtures("fresh_torch_compile")
@pytest.mark.parametrize("pair", with_reference, ids=str)
def test_compiled(pair: Pair) -> None:
    jax_function = compiled_by_jax(pair)
    torch_function = torch.compile(pair.half("torch"), fullgraph=pair.fullgraph)
    for size, dtype in ((7, np.float32), (12, np.float32)):
        require_parity(pair, pair.make_inputs(size, dtype), jax_function, torch_function)
