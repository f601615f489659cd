"""Loops that end at different steps, and what branches do and print, under vmap."""

import numpy as np
import pytest
from programs import primitives


def halvings(jax, limit, made=None):
    """Counts halvings down to 0.1; for other than positive numbers it runs to the limit."""

    def unfinished(state):
        value, steps = state
        return ((value <= 0) | (value > 0.1)) & (steps < limit)

    def body(state):
        if made is not None:
            jax.debug.callback(lambda: made.append(1))
        return state[0] / 2, state[1] + 1

    return lambda x: jax.lax.while_loop(unfinished, body, (x, 0))[1]


def test_a_batched_while_loop_computes_every_example_until_the_last_is_done(jax) -> None:
    steps = []

    def count(n):
        def body(i):
            jax.debug.callback(lambda i, n: steps.append((int(n), int(i))), i, n)
            return i + 1

        return jax.lax.while_loop(lambda i: i < n, body, 0)

    needs = jax.numpy.array([1, 3, 5])
    assert jax.vmap(count)(needs).tolist() == [1, 3, 5]
    jax.effects_barrier()
    # An example that is done is computed again from its last value.
    expected = {1: [0, 1, 1, 1, 1], 3: [0, 1, 2, 3, 3], 5: [0, 1, 2, 3, 4]}
    assert sorted(steps) == [(n, i) for n, values in expected.items() for i in values]
    steps.clear()
    jax.lax.map(count, needs)
    jax.effects_barrier()
    assert len(steps) == 9


def test_a_loop_with_a_shared_number_of_steps_stays_as_it_is(jax) -> None:
    fixed = jax.vmap(lambda x: jax.lax.fori_loop(0, 3, lambda i, v: v * 2, x))
    assert primitives(jax.make_jaxpr(fixed)(np.ones(2, np.float32))) == ["scan"]


@pytest.mark.parametrize("limit", [100, 1000])
def test_a_loop_in_a_branch_runs_for_examples_that_do_not_take_it(jax, limit: int) -> None:
    """The loop of jax#2947, which has no limit, does not end."""
    made: list[int] = []
    loop = halvings(jax, limit, made)

    def choose(x):
        return jax.lax.cond(x > 0, loop, lambda x: 0, x)

    def choose_safely(x):
        return jax.lax.cond(x > 0, loop, lambda x: 0, jax.numpy.where(x > 0, x, 0.05))

    x = jax.numpy.array([0.5, -0.5])
    ways = (jax.vmap(choose), jax.vmap(choose_safely), lambda x: jax.lax.map(choose, x))
    found = []
    for way in ways:
        made.clear()
        assert way(x).tolist() == [3, 0]
        jax.effects_barrier()
        found.append(len(made))
    assert found == [limit, 3, 3]


def test_the_selects_before_the_branches_change_gradients_only(jax) -> None:
    loop = halvings(jax, 100)
    batched = jax.vmap(lambda x: jax.lax.cond(x > 0, loop, lambda x: 0, x))
    equations = jax.make_jaxpr(batched)(jax.numpy.array([0.5, -0.5])).eqns
    stopped = {e.outvars[0]: e.invars[0] for e in equations if str(e.primitive) == "stop_gradient"}
    before = [e for e in equations if str(e.primitive) == "select_n" and e.invars[1] in stopped]
    assert len(before) == 2
    assert all(stopped[e.invars[1]] is e.invars[2] for e in before)


def test_newton_stops_when_the_slowest_example_is_done(jax, in_jax) -> None:
    x = np.array([1, 100, 10_000], np.float32)
    np.testing.assert_allclose(in_jax.newton_batch(x), np.sqrt(x), rtol=1e-6)
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(lambda x: in_jax.newton_batch(x).sum())(x)


def test_eight_steps_of_newton_are_enough_and_not_many_more_than_needed(in_torch, torch) -> None:
    x = torch.tensor([0.1, 1, 100])
    torch.testing.assert_close(in_torch.newton_batch(x), x.sqrt())
    far = torch.tensor([1e12])
    assert not torch.allclose(in_torch.newton_batch(far), far.sqrt())


def test_a_python_while_on_the_whole_batch_stops_earlier(in_torch, torch) -> None:
    x = torch.tensor([1.0, 100.0])
    root, steps = x, 0
    while torch.any((root**2 - x).abs() > 1e-5 * x):
        root, steps = (root + x / root) / 2, steps + 1
    assert 0 < steps < 8
    torch.testing.assert_close(in_torch.newton_batch(x), root)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_torch_vmap_takes_no_while_loop(torch, compiled: bool) -> None:
    def halve(x):
        return torch.while_loop(lambda v: v.sum() > 1, lambda v: (v * 0.5,), (x,))

    batched = torch.vmap(halve)
    function = torch.compile(batched, backend="eager") if compiled else batched
    with pytest.raises(Exception, match="Cannot access storage of BatchedTensorImpl"):
        function(torch.ones(3, 4))
    torch.compiler.reset()
    (alone,) = halve(torch.ones(4))
    assert alone.sum() == 1


def test_debug_print_in_a_branch_prints_for_all_examples(jax, capfd) -> None:
    def warn(x):
        jax.lax.cond(x < 0, lambda: jax.debug.print("negative: {}", x), lambda: None)
        return x

    for way, lines in ((jax.vmap(warn), 2), (lambda x: jax.lax.map(warn, x), 1)):
        way(jax.numpy.array([1.0, -2.0]))
        jax.effects_barrier()
        assert len(capfd.readouterr().out.splitlines()) == lines


def test_a_callback_decides_by_the_numbers_of_one_example(jax) -> None:
    negative = []

    def note(x):
        if x < 0:
            negative.append(float(x))

    def noting(x):
        jax.debug.callback(note, x)
        return x

    jax.vmap(noting)(jax.numpy.array([1.0, -2.0]))
    jax.effects_barrier()
    assert negative == [-2]


def test_torch_cond_refuses_print_and_print_shows_the_batch(torch, capsys) -> None:
    def loud(x):
        print("printed")
        return x * 2

    x = torch.ones(2, 3)
    with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError, match="print"):
        torch.vmap(lambda x: torch.cond(x.sum() > 0, loud, torch.sin, (x,)))(x)
    torch.vmap(lambda x: (print(x), x)[1])(x)
    shown = capsys.readouterr().out
    assert "BatchedTensor" in shown
    assert shown.count("1., 1., 1.") == 2
