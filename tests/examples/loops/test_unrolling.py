"""Who unrolls a loop: the writer, tracing, or Inductor."""

import cProfile
import pstats

import pytest
from loops_derivatives import X
from needs import needs_compiler

LOGISTIC_USES = 3  # how often one step of `logistic` reads its state


def logistic(state, num_steps: int):
    for _ in range(num_steps):
        state = state + 0.1 * state * (1 - state)
    return state


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("evolve_python", True),
        ("evolve_fori", False),
        ("evolve_scan", False),
        ("evolve_scan_unrolled", False),
    ],
)
def test_jax_a_python_loop_is_unrolled_by_tracing(jax, in_jax, name, grows) -> None:
    x = jax.numpy.asarray(X)
    function = getattr(in_jax, name)
    products = []
    for num_steps in (8, 64):
        jaxpr = jax.make_jaxpr(function, static_argnums=1)(x, num_steps)
        assert len(jaxpr.eqns) == (2 * num_steps if grows else 1)
        lowered = jax.jit(function, static_argnums=1).lower(x, num_steps)
        products.append(lowered.as_text().count("stablehlo.multiply"))  # before XLA has seen it
    if grows:
        assert products == [8, 64]
    else:
        assert products[0] == products[1] <= 4


@pytest.mark.parametrize(("name", "products"), [("evolve_scan", 1), ("evolve_scan_unrolled", 4)])
def test_jax_unroll_writes_a_few_steps_down_in_the_program(jax, in_jax, name, products) -> None:
    function = jax.jit(getattr(in_jax, name), static_argnums=1)
    program = function.lower(jax.numpy.asarray(X), 16).compile().as_text()
    assert program.count(" multiply(") == products
    assert " while(" in program


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("evolve_python", True),
        ("evolve_scan", True),  # a Python loop, in PyTorch
        ("evolve_fori", False),
        ("evolve_scan_unrolled", False),
    ],
)
def test_torch_a_python_loop_is_unrolled_by_tracing(torch, in_torch, name, grows) -> None:
    function = getattr(in_torch, name)
    sizes = []
    for num_steps in (4, 64):
        torch.compiler.reset()
        found = torch._dynamo.explain(function)(torch.tensor(X), num_steps)
        assert found.graph_count == 1
        sizes.append(found.op_count)
    if grows:
        assert sizes == [8, 128]
    else:
        assert sizes[0] == sizes[1]


@needs_compiler
def test_inductor_expands_a_state_that_a_step_reads_several_times(torch) -> None:
    def expansions(num_steps: int, **settings) -> int:
        torch.compiler.reset()
        changed = torch._inductor.config.patch(fx_graph_cache=False, **settings)
        with changed, cProfile.Profile() as profile:
            torch.compile(logistic)(torch.tensor(X), num_steps)
        calls = pstats.Stats(profile).stats
        return sum(
            counts[1]
            for (file, _, function), counts in calls.items()
            if function == "inner_fn" and file.endswith("lowering.py")
        )

    # Two more steps: three times three times the work, where the graph only doubles.
    assert expansions(4) > LOGISTIC_USES**2 * expansions(2)
    # Past the limit on a formula's operations the state is written down, and growth is even.
    config, limit = torch._inductor.config, "realize_cpu_opcount_threshold"
    if hasattr(config, limit):
        assert config.realize_cpu_opcount_threshold == 50
    else:  # PyTorch 2.11 has one limit for all devices
        limit = "realize_opcount_threshold"
    few, more, most = (expansions(n, **{limit: 8}) for n in (4, 6, 8))
    assert more - few == most - more


def test_jax_only_grows_by_a_step_for_a_step(jax) -> None:
    for num_steps in (2, 4):
        jaxpr = jax.make_jaxpr(logistic, static_argnums=1)(jax.numpy.asarray(X), num_steps)
        assert len(jaxpr.eqns) == 4 * num_steps
