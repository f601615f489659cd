"""Who unrolls a loop: tracing, or the writer by ``unroll``."""

import pytest
from loops_derivatives import X


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
