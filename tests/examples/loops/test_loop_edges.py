"""Loops at the edges: no step, bodies that are refused, and examples that run without ``jit``."""

import numpy as np
import pytest

X = np.linspace(0.25, 1.5, 3, dtype=np.float32)


def test_jax_refuses_other_structures_of_a_body(jax) -> None:
    lax, x = jax.lax, jax.numpy.asarray(X)
    with pytest.raises(TypeError, match="must have the same pytree structure"):
        lax.while_loop(lambda c: c[0].sum() < 9, lambda c: c[0] + 1, (x,))
    with pytest.raises(TypeError, match="scan body output must be a pair"):
        lax.scan(lambda c, _: c + 1, x, length=3)
    with pytest.raises(TypeError, match="cond_fun must return a boolean scalar"):
        lax.while_loop(lambda c: c < 9, lambda c: c + 1, x)


def test_torch_refuses_a_condition_that_is_not_one_number(torch) -> None:
    error = torch._dynamo.exc.UncapturedHigherOrderOpError
    with pytest.raises(error, match="unsupported cond_fn return type"):
        torch.while_loop(lambda c: c < 9, lambda c: (c + 1,), (torch.tensor(X),))


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


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("evolve_fori", "x3", 0), ("evolve_while", "x3", 0), ("evolve_scan", "x3", 0),
        ("evolve_scan_unrolled", "x3", 0), ("recurrence_sequential", "xx", 0),
        ("sqrt_while", "x", 3), ("density_map", "xx", 3),
    ],
)  # fmt: skip
def test_examples_whose_bodies_use_no_argument_compile_once(
    jax, in_jax, compiled_by_jax, name, arguments, expected
) -> None:
    values = [jax.numpy.asarray(X) if kind == "x" else 3 for kind in arguments]
    function = getattr(in_jax, name)
    function(*values)
    compiled_by_jax.clear()
    for _ in range(3):
        function(*values)
    assert sum(called in ("jit(scan)", "jit(while)") for called in compiled_by_jax) == expected
