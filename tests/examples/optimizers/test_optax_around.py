"""optax alone: schedules, clips and accumulation. PyTorch is not needed here."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

optax = pytest.importorskip("optax")

from jaxvstorch.examples.optimizers import jax_optax  # noqa: E402


def test_the_pair_is_optax_s_schedule_from_zero(in_jax) -> None:
    schedule = optax.warmup_cosine_decay_schedule(0.0, 0.01, 100, 1_000, 0.001)
    for count in (0, 1, 50, 100, 101, 500, 1_000, 2_000):
        found = in_jax.warmup_cosine(jnp.int32(count), jnp.float32(0.01))
        np.testing.assert_allclose(found, schedule(count), rtol=2e-5, atol=1e-9)


def test_decay_steps_count_the_warm_up_too() -> None:
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1.0, 4, 12)
    assert schedule(4) == 1
    assert schedule(12) == 0
    assert schedule(8) == pytest.approx(0.5)


def test_the_first_step_has_the_rate_of_count_zero() -> None:
    rule = optax.sgd(optax.linear_schedule(0.0, 1.0, 4))
    state, found = rule.init(jnp.zeros(1)), []
    for _ in range(3):
        update, state = rule.update(jnp.ones(1), state)
        found.append(float(update[0]))
    assert found == [0, -0.25, -0.5]


def test_a_schedule_is_traced_once() -> None:
    traced = []

    def schedule(count):
        traced.append(count)
        return 0.1 / (1 + count)

    rule = optax.sgd(schedule)
    update = jax.jit(rule.update)
    state = rule.init(jnp.zeros(1))
    for _ in range(5):
        _, state = update(jnp.ones(1), state)
    assert len(traced) == 1
    assert isinstance(traced[0], jax.core.Tracer)


def test_a_rate_in_the_state_changes_without_tracing() -> None:
    rule = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)
    traced = []

    @jax.jit
    def update(gradient, state):
        traced.append(gradient)
        return rule.update(gradient, state)

    state, found = rule.init(jnp.zeros(1)), []
    for rate in (0.1, 0.01, 0.001):
        state.hyperparams["learning_rate"] = jnp.float32(rate)
        change, state = update(jnp.ones(1), state)
        found.append(float(change[0]))
    np.testing.assert_allclose(found, [-0.1, -0.01, -0.001], rtol=1e-6)
    assert len(traced) == 1
    state.hyperparams["learning_rate"] = jnp.asarray(0.1)  # of a weak type
    update(jnp.ones(1), state)
    assert len(traced) == 2


def test_where_the_clip_stands_in_the_chain_matters() -> None:
    gradient = jnp.array([3.0, 4.0])

    def update(*parts):
        rule = optax.chain(*parts)
        return rule.update(gradient, rule.init(gradient))[0]

    clip, step = optax.clip_by_global_norm(1.0), optax.sgd(0.1)
    np.testing.assert_allclose(update(clip, step), [-0.06, -0.08], rtol=1e-5)
    np.testing.assert_allclose(update(step, clip), [-0.3, -0.4], rtol=1e-5)


def test_a_sum_of_four_gradients_is_four_times_the_rate_for_sgd_and_next_to_nothing_for_adam() -> (
    None
):
    gradient = jnp.array([0.5, -2.0])
    for rule, times in ((optax.sgd(0.1), 4.0), (optax.adam(0.1), 1.0)):
        mean = rule.update(gradient, rule.init(gradient))[0]
        total = rule.update(4 * gradient, rule.init(gradient))[0]
        np.testing.assert_allclose(total, times * mean, rtol=1e-5)


def test_a_nan_clips_all_others_to_nan_and_a_step_can_be_left_out() -> None:
    clip = optax.clip_by_global_norm(1.0)
    assert jnp.isnan(clip.update(jnp.array([jnp.nan, 1.0]), clip.init(None))[0]).all()
    for bad in (jnp.nan, jnp.inf):
        rule = optax.apply_if_finite(optax.sgd(1.0), 5)
        update, _ = rule.update(jnp.full(2, bad), rule.init(jnp.zeros(2)))
        assert update.tolist() == [0, 0]


def updates_of(steps, gradients):
    state, found = steps.init(jnp.zeros(1)), []
    for gradient in gradients:
        update, state = steps.update(jnp.full(1, gradient), state)
        found.append(float(update[0]))
    return found


def test_multisteps_takes_a_mean_or_a_sum() -> None:
    sgd = optax.sgd(1.0)
    assert updates_of(jax_optax.accumulated(sgd, 2), (1.0, 3.0)) == [0, -2]
    assert updates_of(optax.MultiSteps(sgd, 2, use_grad_mean=False), (1.0, 3.0)) == [0, -4]


def test_multisteps_keeps_a_nan_unless_it_leaves_that_call_out() -> None:
    gradients = (jnp.nan, 1.0, 1.0, 1.0, 1.0)
    assert np.isnan(updates_of(optax.MultiSteps(optax.sgd(1.0), 2), gradients)).all()
    options = {"should_skip_update_fn": optax.skip_not_finite}
    assert updates_of(optax.MultiSteps(optax.sgd(1.0), 2, **options), gradients) == [
        0,
        0,
        -1,
        0,
        -1,
    ]


def test_multisteps_computes_the_rule_in_every_call() -> None:
    seen = []

    def update(updates, state, params=None):
        jax.debug.callback(lambda x: seen.append(float(x[0])), updates)
        return updates, state

    steps = optax.MultiSteps(optax.GradientTransformation(lambda params: (), update), 3)
    jitted, state = jax.jit(steps.update), steps.init(jnp.zeros(1))
    for gradient in (1.0, 2.0, 3.0):
        _, state = jitted(jnp.full(1, gradient), state)
    jax.effects_barrier()
    assert sorted(seen) == [1, 1.5, 2]  # the mean so far


def test_a_schedule_in_the_state_is_written_over() -> None:
    ramp = optax.linear_schedule(0.0, 1.0, 4)
    rule = optax.inject_hyperparams(optax.sgd)(learning_rate=ramp)
    state = rule.init(jnp.zeros(1))
    for rate in (0.0, 0.25, 0.5):
        state.hyperparams["learning_rate"] = jnp.float32(9.0)
        update, state = rule.update(jnp.ones(1), state)
        assert update == -rate
        assert state.hyperparams["learning_rate"] == rate
