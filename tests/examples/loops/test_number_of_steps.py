"""The number of steps: static, traced, or up to the values."""

import numpy as np
import pytest
from loops_derivatives import X

from jaxvstorch import ledger


def test_jax_compiles_a_python_loop_for_each_number_of_steps(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    compiled = jax.jit(in_jax.evolve_python, static_argnames="num_steps")
    assert ledger(compiled, [(x, 3), (x, 5), (x, 3)]).traces == [1, 1, 0]


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_compiles_one_loop_for_all_numbers_of_steps(jax, in_jax, name) -> None:
    calls = [(jax.numpy.asarray(X), jax.numpy.int32(n)) for n in (3, 5, 7)]
    assert ledger(jax.jit(getattr(in_jax, name)), calls).traces == [1, 0, 0]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("evolve_python", "TracerIntegerConversionError"),
        ("evolve_scan", "ConcretizationTypeError"),
    ],
)
def test_jax_cannot_trace_the_number_of_steps_of_these(jax, in_jax, name, error) -> None:
    with pytest.raises(getattr(jax.errors, error)):
        jax.jit(getattr(in_jax, name))(jax.numpy.asarray(X), 3)


def test_jax_fori_loop_is_a_scan_where_the_number_of_steps_is_static(jax, in_jax) -> None:
    def primitive(**options) -> str:
        jaxpr = jax.make_jaxpr(in_jax.evolve_fori, **options)(jax.numpy.asarray(X), 3)
        return str(jaxpr.eqns[-1].primitive)

    assert primitive(static_argnums=1) == "scan"
    assert primitive() == "while"


def test_torch_compiles_a_python_loop_for_each_number_of_steps_up_to_a_limit(
    torch, in_torch
) -> None:
    limit = torch._dynamo.config.recompile_limit
    calls = [(torch.tensor(X), n) for n in range(2, limit + 4)]
    compiled = torch.compile(in_torch.evolve_python, backend="eager")
    assert ledger(compiled, calls).traces == [1] * limit + [0, 0]  # the last two ran eagerly


def test_torch_makes_a_symbol_of_the_number_of_steps_of_a_while_loop(torch, in_torch) -> None:
    x = torch.tensor(X)
    calls = [(x, n) for n in (3, 5, 7, 9)]
    compiled = torch.compile(in_torch.evolve_fori, backend="eager", fullgraph=True)
    assert ledger(compiled, calls).traces == [1, 1, 0, 0]
    calls = [(x, torch.tensor(n)) for n in (3, 5, 7)]
    compiled = torch.compile(in_torch.evolve_while, backend="eager", fullgraph=True)
    assert ledger(compiled, calls).traces == [1, 0, 0]


@pytest.mark.parametrize(
    "name", ["evolve_python", "evolve_fori", "evolve_scan", "evolve_scan_unrolled"]
)
@pytest.mark.parametrize("num_steps", [0, 1, 6])
def test_any_number_of_steps(jax, in_jax, torch, in_torch, name, num_steps) -> None:
    ours = getattr(in_jax, name)(jax.numpy.asarray(X), num_steps)
    theirs = getattr(in_torch, name)(torch.tensor(X), num_steps)
    assert np.allclose(ours, theirs, rtol=1e-6)
    if num_steps == 0:
        assert np.array_equal(ours, X)


# A loop that ends when the values say so.


def test_jax_cannot_trace_a_python_while(jax, in_jax) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError, match="sqrt_python"):
        jax.jit(in_jax.sqrt_python)(jax.numpy.asarray(X))


def test_torch_breaks_the_graph_at_a_python_while(torch, in_torch) -> None:
    x = torch.tensor(X)
    compiled = torch.compile(in_torch.sqrt_python, backend="eager")
    book = ledger(compiled, [(x,), (x + 1,)])
    assert book.programs[0] == 2  # up to the first test, and from one test to the next
    assert book.breaks[0] > 0
    assert book.traces[1] == 0
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(in_torch.sqrt_python, backend="eager", fullgraph=True)(x)
    compiled = torch.compile(in_torch.sqrt_while, backend="eager", fullgraph=True)
    assert ledger(compiled, [(x,)]).programs == [1]
