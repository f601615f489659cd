"""Inductor puts a state's formula into each place that reads it, and the ways out of that.

Never compile eight steps of ``logistic`` as they are: that takes over a minute.
"""

import cProfile
import functools
import itertools
import pstats

import numpy as np
import pytest
from needs import needs_compiler

X = np.linspace(0.25, 1.5, 3, dtype=np.float32)
USES = 3  # how often a step reads its state


def logistic(state):
    return state + 0.1 * state * (1 - state)


def repeated(step, state, num_steps: int):
    for _ in range(num_steps):
        state = step(state)
    return state


@pytest.fixture
def terms(torch):
    """Counts the terms that Inductor builds of a function of three numbers and of its gradient."""

    def count(function, *arguments, gradient=False, **options) -> int:
        torch.compiler.reset()
        x = torch.tensor(X, requires_grad=gradient)
        compiled = torch.compile(function, options={"fx_graph_cache": False, **options})
        with cProfile.Profile() as profile:
            result = compiled(x, *arguments)
            if gradient:
                result.sum().backward()
        calls = pstats.Stats(profile).stats
        return sum(
            counts[1]
            for (file, _, name), counts in calls.items()
            if name == "inner_fn" and file.endswith("lowering.py")
        )

    return count


@needs_compiler
def test_each_step_that_reads_its_state_three_times_makes_three_times_the_work(
    torch, terms
) -> None:
    unrolled = functools.partial(repeated, logistic)
    found = [terms(unrolled, n) for n in (1, 2, 3, 4)]
    if torch.__version__.startswith("2.13"):
        assert found == [21, 94, 323, 1020]  # the page has these
    for few, more in itertools.pairwise(found):
        assert more > USES * few


@needs_compiler
def test_a_step_that_reads_its_state_once_makes_little_work(terms, in_torch) -> None:
    """It is built again as often as the formula is looked at: the square of the steps at most."""
    few, more = (terms(in_torch.evolve_python, n) for n in (4, 8))
    assert more < 4 * few


@needs_compiler
@pytest.mark.parametrize(("costly", "stored"), [("exp", True), ("tanh", True), ("sin", False)])
def test_a_state_whose_formula_is_costly_to_compute_is_stored(torch, terms, costly, stored) -> None:
    function = getattr(torch, costly)
    unrolled = functools.partial(repeated, lambda state: state + 0.1 * state * function(state))
    few, more = (terms(unrolled, n) for n in (2, 4))
    assert (more < USES * few) == stored


@needs_compiler
def test_past_the_limit_on_a_formula_the_state_is_stored(torch, terms) -> None:
    config, limit = torch._inductor.config, "realize_cpu_opcount_threshold"
    if hasattr(config, limit):
        assert config.realize_cpu_opcount_threshold == 50
    else:  # PyTorch 2.11 has one limit for all devices
        limit = "realize_opcount_threshold"
    unrolled = functools.partial(repeated, logistic)
    few, more, most = (terms(unrolled, n, **{limit: 8}) for n in (4, 6, 8))
    assert more - few == most - more


@needs_compiler
def test_a_nested_compile_region_is_expanded_once_and_has_its_gradient(torch, terms) -> None:
    step = torch.compiler.nested_compile_region(logistic)
    few, more = (terms(functools.partial(repeated, step), n, gradient=True) for n in (2, 16))
    assert few == more
    gradients = []
    for function in (step, logistic):
        x = torch.tensor(X, requires_grad=True)
        repeated(function, x, 6).sum().backward()
        gradients.append(x.grad)
    np.testing.assert_allclose(*gradients, rtol=1e-6)


@needs_compiler
def test_a_while_loop_is_expanded_once(torch, terms) -> None:
    def loop(state, num_steps: int):
        carry = torch.tensor(0), state
        return torch.while_loop(
            lambda i, _: i < num_steps, lambda i, state: (i + 1, logistic(state)), carry
        )[1]

    assert terms(loop, 16) < 2 * terms(loop, 1)
