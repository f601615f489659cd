"""The number of steps: static, traced, or up to the values."""

import numpy as np
import pytest

from jaxvstorch import ledger


def test_jax_compiles_a_python_loop_for_each_number_of_steps(in_jax) -> None:
    compiled = in_jax.jax.jit(in_jax.examples.evolve_python, static_argnames="num_steps")
    assert ledger(compiled, [(in_jax.x, 3), (in_jax.x, 5), (in_jax.x, 3)]).traces == [1, 1, 0]


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_compiles_one_loop_for_all_numbers_of_steps(in_jax, name) -> None:
    calls = [(in_jax.x, in_jax.jnp.int32(n)) for n in (3, 5, 7)]
    assert ledger(in_jax.jax.jit(getattr(in_jax.examples, name)), calls).traces == [1, 0, 0]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("evolve_python", "TracerIntegerConversionError"),
        ("evolve_scan", "ConcretizationTypeError"),
    ],
)
def test_jax_cannot_trace_the_number_of_steps_of_these(in_jax, name, error) -> None:
    with pytest.raises(getattr(in_jax.jax.errors, error)):
        in_jax.jax.jit(getattr(in_jax.examples, name))(in_jax.x, 3)


def test_jax_fori_loop_is_a_scan_where_the_number_of_steps_is_static(in_jax) -> None:
    def primitive(**options) -> str:
        jaxpr = in_jax.jax.make_jaxpr(in_jax.examples.evolve_fori, **options)(in_jax.x, 3)
        return str(jaxpr.eqns[-1].primitive)

    assert primitive(static_argnums=1) == "scan"
    assert primitive() == "while"


def test_torch_compiles_a_python_loop_for_each_number_of_steps_up_to_a_limit(in_torch) -> None:
    limit = in_torch.torch._dynamo.config.recompile_limit
    calls = [(in_torch.x, n) for n in range(2, limit + 4)]
    compiled = in_torch.torch.compile(in_torch.examples.evolve_python, backend="eager")
    assert ledger(compiled, calls).traces == [1] * limit + [0, 0]  # the last two ran eagerly


def test_torch_makes_a_symbol_of_the_number_of_steps_of_a_while_loop(in_torch) -> None:
    calls = [(in_torch.x, n) for n in (3, 5, 7, 9)]
    assert ledger(in_torch.graph(in_torch.examples.evolve_fori), calls).traces == [1, 1, 0, 0]
    tensors = [(in_torch.x, in_torch.torch.tensor(n)) for n in (3, 5, 7)]
    assert ledger(in_torch.graph(in_torch.examples.evolve_while), tensors).traces == [1, 0, 0]


@pytest.mark.parametrize(
    "name", ["evolve_python", "evolve_fori", "evolve_scan", "evolve_scan_unrolled"]
)
@pytest.mark.parametrize("num_steps", [0, 1, 6])
def test_any_number_of_steps(in_jax, in_torch, name, num_steps) -> None:
    ours = getattr(in_jax.examples, name)(in_jax.x, num_steps)
    theirs = getattr(in_torch.examples, name)(in_torch.x, num_steps)
    assert np.allclose(ours, theirs, rtol=1e-6)
    if num_steps == 0:
        assert np.array_equal(ours, in_jax.x)


# A loop that ends when the values say so.


def test_jax_cannot_trace_a_python_while(in_jax) -> None:
    with pytest.raises(in_jax.jax.errors.TracerBoolConversionError, match="sqrt_python"):
        in_jax.jax.jit(in_jax.examples.sqrt_python)(in_jax.x)


def test_torch_breaks_the_graph_at_a_python_while(in_torch) -> None:
    examples = in_torch.examples
    compiled = in_torch.torch.compile(examples.sqrt_python, backend="eager")
    book = ledger(compiled, [(in_torch.x,), (in_torch.x + 1,)])
    assert book.programs[0] == 2  # up to the first test, and from one test to the next
    assert book.breaks[0] > 0
    assert book.traces[1] == 0
    in_torch.torch.compiler.reset()
    with pytest.raises(in_torch.torch._dynamo.exc.Unsupported):
        in_torch.graph(examples.sqrt_python)(in_torch.x)
    assert ledger(in_torch.graph(examples.sqrt_while), [(in_torch.x,)]).programs == [1]
