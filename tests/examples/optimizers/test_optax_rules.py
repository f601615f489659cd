"""optax alone: what its rules do, and what its errors are. PyTorch is not needed here."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxvstorch.examples.optimizers import rules

optax = pytest.importorskip("optax")

from jaxvstorch.examples.optimizers import jax_optax  # noqa: E402


def test_adam_without_its_state_takes_the_sign_alone() -> None:
    rule = optax.adam(0.01)
    state = rule.init(jnp.zeros(1))
    found = [float(rule.update(jnp.full(1, g), state)[0][0]) for g in (1.0, 0.01, -100.0)]
    np.testing.assert_allclose(found, [-0.01, -0.01, 0.01], rtol=1e-4)


def test_adamw_wants_the_parameters() -> None:
    rule = optax.adamw(0.01)
    with pytest.raises(ValueError, match="not passing `params`"):
        rule.update(jnp.ones(1), rule.init(jnp.ones(1)))


def test_updates_hold_the_sign_and_a_part_of_a_chain_does_not() -> None:
    for rule, sign in ((optax.adam(0.1), -1), (optax.scale_by_adam(), 1)):
        update, _ = rule.update(jnp.ones(1), rule.init(jnp.ones(1)))
        assert jnp.sign(update) == sign


def test_a_state_of_other_parameters_is_an_error() -> None:
    rule = optax.adam(0.1)
    with pytest.raises(ValueError, match="different pytree metadata"):
        rule.update({"a": jnp.ones(1)}, rule.init({"b": jnp.ones(1)}))


def test_a_jitted_step_shares_the_memory_of_what_it_is_given() -> None:
    parameters = {"weight": jnp.zeros((64, 64))}
    rule = optax.adamw(1e-3)

    def step(parameters, state, gradients):
        updates, state = rule.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state

    jitted = jax.jit(step, donate_argnums=(0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = jitted.lower(parameters, rule.init(parameters), parameters).compile()
    memory = compiled.memory_analysis()
    size = 4 * 64 * 64
    assert memory.alias_size_in_bytes == 3 * size + 4
    assert memory.temp_size_in_bytes < size / 10


def test_the_rate_is_the_only_argument_without_a_default_in_most_of_optax() -> None:
    with pytest.raises(TypeError, match="learning_rate"):
        optax.adam()


def test_the_place_of_epsilon_shows_where_gradients_are_small() -> None:
    small = jnp.full(1, 1e-4)
    inside, outside = (
        rule.update(small, rule.init(small))[0][0]
        for rule in (optax.rmsprop(1.0, eps_in_sqrt=root) for root in (True, False))
    )
    assert inside / outside < 0.4


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("nesterov_step", "sgd(r, 0.9, nesterov=True)"),
        ("adamw_step", "adamw(r, weight_decay=0.1)"),
        ("rmsprop_step", "rmsprop(r, 0.99, eps_in_sqrt=False)"),
        ("lion_step", "lion(r, weight_decay=0.1)"),
    ],
)
def test_a_pair_s_half_in_jax_is_what_optax_does(in_jax, name, rule) -> None:
    parameters, gradients = rules.problem("float32", steps=3)
    state = {"adamw_step": 2}.get(name, 1) * (jnp.zeros(4),)
    parameter = jnp.asarray(parameters["bias"])
    step = jax.jit(getattr(in_jax, name))
    for i, gradient in enumerate(gradients["bias"], 1):
        count = (jnp.int32(i),) if name == "adamw_step" else ()
        parameter, *state = step(parameter, gradient, *state, *count)
    made = eval(rule, vars(optax) | {"r": rules.RATE})
    found = jax_optax.after(made, parameters, gradients)["bias"]
    np.testing.assert_allclose(parameter, found, atol=2e-6)


def test_the_first_step_of_adam_is_smaller_where_epsilon_shows() -> None:
    rule = optax.adam(0.01)
    state = rule.init(jnp.zeros(1))
    for gradient, expected in ((1e-6, -0.0099), (1e-8, -0.005), (0.0, 0.0)):
        update, _ = rule.update(jnp.full(1, gradient), state)
        np.testing.assert_allclose(update, [expected], rtol=1e-3)


def test_rprop_does_not_move_in_its_first_step() -> None:
    rule = optax.rprop(0.01)
    update, _ = rule.update(jnp.array([0.5, -0.1]), rule.init(jnp.ones(2)))
    assert not update.any()


def test_how_large_states_are_and_a_schedule_counts_for_itself() -> None:
    parameters, ramp = jnp.zeros(100), optax.linear_schedule(0.0, 1.0, 4)
    for rule, size in (
        (optax.adamw(1e-3), 804),
        (optax.adamw(ramp), 808),
        (optax.lion(1e-3), 404),
        (optax.sgd(1e-3), 0),
        (optax.sgd(ramp), 4),
    ):
        assert sum(x.nbytes for x in jax.tree.leaves(rule.init(parameters))) == size


def test_masked_leaves_the_other_gradients_as_they_are_and_a_partition_stops_them() -> None:
    parameters = {"free": jnp.ones(1), "frozen": jnp.ones(1)}
    mask = optax.masked(optax.sgd(0.1), {"free": True, "frozen": False})
    groups = {"train": optax.sgd(0.1), "stay": optax.set_to_zero()}
    labels = {"free": "train", "frozen": "stay"}
    for rule, frozen in ((mask, 1), (optax.partition(groups, labels), 0)):
        update, _ = rule.update(parameters, rule.init(parameters))
        np.testing.assert_allclose(update["free"], [-0.1], rtol=1e-6)
        assert update["frozen"] == frozen


def test_a_mask_takes_the_decay_from_biases_and_two_rates_are_two() -> None:
    parameters = {"weight": jnp.ones((2, 2)), "bias": jnp.ones(2)}
    still = jax.tree.map(jnp.zeros_like, parameters)
    rule = jax_optax.decay_matrices(0.1, 0.5)
    update, _ = rule.update(still, rule.init(parameters), parameters)
    np.testing.assert_allclose(update["weight"], np.full((2, 2), -0.05), rtol=1e-6)
    assert not update["bias"].any()
    rule = jax_optax.two_rates(0.1, 0.01)
    update, _ = rule.update(parameters, rule.init(parameters))
    np.testing.assert_allclose(update["weight"], np.full((2, 2), -0.1), rtol=1e-6)
    np.testing.assert_allclose(update["bias"], np.full(2, -0.01), rtol=1e-6)


def test_xla_s_step_of_adamw_goes_through_more_memory_than_one_loop_would() -> None:
    """One loop reads four arrays and writes three; XLA reads the new means again."""
    if jax.default_backend() != "cpu":
        pytest.skip("it was seen on a CPU")
    rule, x = optax.adamw(1e-3), jnp.zeros((100, 100))

    def step(parameters, state, gradients):
        updates, state = rule.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state

    cost = jax.jit(step).lower(x, rule.init(x), x).compile().cost_analysis()
    assert 9.5 < cost["bytes accessed"] / x.nbytes < 10.5
