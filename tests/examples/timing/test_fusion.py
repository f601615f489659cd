"""How many kernels the compilers make, and how many bytes these move."""

import logging

import numpy as np
import pytest

from jaxvstorch import explain
from jaxvstorch.registry import PAIRS

SIZE = 4_096
TIMED = {pair.name: pair for pair in PAIRS if pair.topic == "timing"}
ONE_LOOP = ("selu", "gelu", "polynomial", "moving_average")
# How many times what must move is moved, from and to, as XLA counts it and as Inductor does.
ONCE = (0.97, 1.03)
SHARES = {
    "gelu": (ONCE, ONCE),
    "sin_and_cos": ((1.3, 1.4), ONCE),
    "normalize_rows": ((2.5, 4), ONCE),
    "dense": ((1.5, 2.5), (1.5, 2.5)),
}


def arguments(name: str, framework: str):
    return TIMED[name].to_framework(framework, TIMED[name].make_inputs(SIZE))


def kernels(function, *arguments) -> list[str]:
    return [kernel.name for kernel in explain(function, *arguments).with_stages().compiled.kernels]


def cost(jax, function, *arguments):
    lowered = jax.jit(function).lower(*arguments)
    return lowered.cost_analysis(), lowered.compile().cost_analysis()


def must_move(jax, function, *arguments) -> int:
    arrays = jax.tree.leaves((arguments, function(*arguments)))
    return sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("name", ONE_LOOP)
def test_xla_makes_one_loop_of_a_chain_and_moves_less(name, jax, in_jax) -> None:
    function, given = getattr(in_jax, name), arguments(name, "jax")
    assert len(kernels(function, *given)) == 1
    before, after = cost(jax, function, *given)
    assert before["bytes accessed"] > 3 * after["bytes accessed"]


def test_inductor_makes_one_loop_of_a_chain_and_of_its_two_results(torch, in_torch) -> None:
    for name in ("polynomial", "sin_and_cos"):
        compiled = explain(getattr(in_torch, name), *arguments(name, "torch")).with_stages()
        assert len(compiled.compiled.kernels) == 1
        assert compiled.compiled.stages[-1].text.count("for(") == 1


def test_xla_makes_a_loop_for_each_of_two_results(jax, in_jax) -> None:
    assert len(kernels(in_jax.sin_and_cos, *arguments("sin_and_cos", "jax"))) == 2


def test_gelu_as_it_is_reads_six_arrays_and_writes_five(jax, in_jax) -> None:
    (x,) = arguments("gelu", "jax")
    equations = jax.make_jaxpr(in_jax.gelu)(x).eqns
    values = [v for e in equations for v in (*e.invars, *e.outvars) if v.aval.shape == x.shape]
    assert len(values) == 11


@pytest.mark.parametrize("name", SHARES)
def test_xla_moves_so_many_times_what_must_move(name, jax, in_jax) -> None:
    function, given = getattr(in_jax, name), arguments(name, "jax")
    moved = cost(jax, function, *given)[1]["bytes accessed"]
    low, high = SHARES[name][0]
    assert low < moved / must_move(jax, function, *given) < high


@pytest.mark.parametrize("name", SHARES)
def test_inductor_moves_so_many_times_what_must_move(name, jax, torch, in_torch) -> None:
    from torch._inductor import config, metrics

    log = logging.getLogger("torch._inductor.compile_fx.__inductor_metrics")
    level, propagate = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False
    metrics.reset()
    with config.patch(fx_graph_cache=False):
        torch.compile(getattr(in_torch, name))(*arguments(name, "torch"))
    log.setLevel(level)
    log.propagate = propagate
    must = must_move(jax, TIMED[name].half("jax"), *arguments(name, "jax"))
    low, high = SHARES[name][1]
    assert low < metrics.num_bytes_accessed / must < high


def test_a_running_sum_ends_a_loop(jax, in_jax, torch, in_torch) -> None:
    before, between, after = kernels(in_torch.growth, *arguments("growth", "torch"))
    assert between == "torch.ops.aten.cumsum.default"
    assert before.startswith("cpp_fused")
    assert after.startswith("cpp_fused")
    assert len(kernels(in_jax.growth, *arguments("growth", "jax"))) > 3


def test_the_bias_goes_into_the_product_in_torch_and_not_in_xla(
    jax, in_jax, torch, in_torch
) -> None:
    assert kernels(in_torch.dense, *arguments("dense", "torch"))[0] == "extern_kernels.addmm"
    assert len(kernels(in_jax.dense, *arguments("dense", "jax"))) == 2


def test_no_compiler_changes_the_order_of_products(jax, in_jax, torch, in_torch) -> None:
    given, n = arguments("product_left", "jax"), 64
    assert cost(jax, in_jax.product_left, *given)[1]["flops"] == 2 * n**3 + 2 * n**2
    assert cost(jax, in_jax.product_right, *given)[1]["flops"] == 4 * n**2
    chosen = cost(jax, lambda *operands: jax.numpy.linalg.multi_dot(operands), *given)[1]
    assert chosen["flops"] == 4 * n**2
    given = arguments("product_left", "torch")
    assert "extern_kernels.mm" in kernels(in_torch.product_left, *given)
    assert "extern_kernels.mm" not in kernels(in_torch.product_right, *given)


def test_torchs_multi_dot_chooses_the_cheaper_order(torch) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        torch.linalg.multi_dot(arguments("product_left", "torch"))
    assert counter.get_total_flops() == 4 * 64**2


def test_the_librarys_functions_are_one_loop_too(jax, in_jax, torch, in_torch) -> None:
    (x,), (y,) = arguments("gelu", "jax"), arguments("gelu", "torch")
    np.testing.assert_allclose(
        jax.nn.gelu(x, approximate=False), in_jax.gelu(x), rtol=1e-5, atol=1e-6
    )
    torch.testing.assert_close(torch.nn.functional.gelu(y), in_torch.gelu(y))
    assert len(kernels(lambda x: jax.nn.gelu(x, approximate=False), x)) == 1


def test_only_a_compiled_program_has_a_cost_and_takes_its_shapes_only(jax, in_jax) -> None:
    x = jax.numpy.ones(9)
    with pytest.raises(AttributeError, match="cost_analysis"):
        jax.jit(in_jax.gelu).cost_analysis()
    with pytest.raises(TypeError, match=r"compiled with float32\[9\] and called with"):
        jax.jit(in_jax.gelu).lower(x).compile()(x[:3])
