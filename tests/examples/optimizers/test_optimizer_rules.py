"""optax and ``torch.optim``, step for step: which calls are equal, and why others are not."""

from functools import cache

import numpy as np
import pytest

from jaxvstorch.examples.optimizers import rules
from jaxvstorch.examples.optimizers.rules import RULES

pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

from torch import optim  # noqa: E402

from jaxvstorch.examples.optimizers import jax_optax, table, torch_optim  # noqa: E402

EQUAL = [rule for rule in RULES if rule.near < 1]
NAMES = {rule.name: rule for rule in RULES}
R = rules.RATE


def apart(optimizer, make, dtype="float64"):
    return table.difference(optimizer, make, dtype)


@cache  # most rules have their defaults in the call that is equal
def apart_as_text(optax_call, torch_call, dtype="float64"):
    return apart(table.call_optax(optax_call), table.call_torch(torch_call), dtype)


@pytest.mark.parametrize("rule", EQUAL, ids=lambda rule: rule.name)
def test_these_calls_make_the_same_steps(rule) -> None:
    assert apart_as_text(rule.optax, rule.torch) <= rule.near
    assert apart_as_text(rule.optax, rule.torch, "float32") < 2e-5


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_defaults_are_equal_for_these_rules_alone(rule) -> None:
    same = {"SGD", "momentum", "Nesterov", "Adam", "Adam with L2", "RAdam", "Adamax", "Adadelta"}
    found = apart_as_text(rule.optax_default, rule.torch_default)
    assert (found < 1e-8) == (rule.name in same)
    assert found < 1e-8 or found > 1e-3


def test_rmsprop_has_epsilon_in_the_root_by_default() -> None:
    torch_rule = table.call_torch("RMSprop(p, r)")
    inside, outside = (optax.rmsprop(R, 0.99, eps_in_sqrt=root) for root in (True, False))
    assert apart(outside, torch_rule) < 1e-14
    assert 1e-7 < apart(inside, torch_rule) < 1e-5


def test_rmsprop_with_momentum_has_the_rate_inside_of_the_momentum() -> None:
    import torch

    def falling(count):
        return R / (1 + count)

    def after_torch(parameters, gradients):
        own = {name: torch.nn.Parameter(torch.tensor(x)) for name, x in parameters.items()}
        optimizer = optim.RMSprop(own.values(), R, momentum=0.9)
        rates = optim.lr_scheduler.LambdaLR(optimizer, lambda count: 1 / (1 + count))
        for i in range(rules.STEPS):
            for name, parameter in own.items():
                parameter.grad = torch.tensor(gradients[name][i])
            optimizer.step()
            rates.step()
        return {name: parameter.numpy(force=True) for name, parameter in own.items()}

    problem = rules.problem("float32")
    expected = after_torch(*problem)
    root = {"eps_in_sqrt": False}
    inside = optax.rmsprop(falling, 0.99, momentum=0.9, **root)
    outside = optax.chain(
        optax.scale_by_rms(0.99, **root), optax.trace(0.9), optax.scale_by_learning_rate(falling)
    )
    for rule, equal in ((inside, False), (outside, True)):
        found = jax_optax.after(rule, *problem)
        far = max(float(abs(np.asarray(found[n]) - expected[n]).max()) for n in expected)
        assert far < 1e-6 if equal else far > 0.5
    constant = optax.rmsprop(R, 0.99, momentum=0.9, **root)
    assert apart(constant, table.call_torch("RMSprop(p, r, momentum=0.9)")) < 1e-14


def test_adagrad_begins_with_another_sum() -> None:
    began = optax.adagrad(R, eps=0.0)
    assert apart(began, table.call_torch("Adagrad(p, r)")) > 1e-3
    assert apart(began, table.call_torch("Adagrad(p, r, initial_accumulator_value=0.1)")) < 1e-10


def test_torch_s_adam_puts_its_weight_decay_into_the_gradient() -> None:
    decoupled, coupled = (
        optax.adamw(R, weight_decay=0.01),
        table.call_optax(NAMES["Adam with L2"].optax),
    )
    assert apart(decoupled, table.call_torch("Adam(p, r, weight_decay=0.01)")) > 5e-4
    assert apart(coupled, table.call_torch("AdamW(p, r)")) > 5e-4
    also = table.call_torch("Adam(p, r, weight_decay=0.01, decoupled_weight_decay=True)")
    assert apart(decoupled, also) < 1e-14


def test_both_multiply_decoupled_weight_decay_by_the_rate() -> None:
    parameters, gradients = rules.problem("float64")
    still = {name: 0 * gradient for name, gradient in gradients.items()}
    for rate in (0.1, 0.01):
        left = (1 - rate * 0.01) ** rules.STEPS
        found = torch_optim.after(lambda p, rate=rate: optim.AdamW(p, rate), parameters, still)
        np.testing.assert_allclose(found["bias"], left * parameters["bias"], rtol=1e-12)
        rule = optax.adamw(rate, weight_decay=0.01)
        ours = jax_optax.after(rule, parameters, still)
        np.testing.assert_allclose(ours["bias"], left * parameters["bias"], rtol=1e-5)


def test_the_rate_of_torch_s_adafactor_falls_after_some_steps() -> None:
    rule, make = (
        optax.adafactor(0.5, min_dim_size_to_factor=1),
        table.call_torch("Adafactor(p, 0.5)"),
    )
    for steps in (4, 8):
        parameters, gradients = rules.problem("float32", steps=steps)
        ours = jax_optax.after(rule, parameters, gradients)
        theirs = torch_optim.after(make, parameters, gradients)
        far = max(float(abs(np.asarray(ours[name]) - theirs[name]).max()) for name in theirs)
        assert far < 1e-5 if steps <= 0.5**-2 else far > 0.01


def test_adafactor_factors_the_two_longest_axes_or_the_last_two() -> None:
    rule, make = optax.adafactor(R, min_dim_size_to_factor=1), table.call_torch("Adafactor(p, r)")
    rng = np.random.default_rng(0)
    for shape, equal in (((2, 3, 4), True), ((4, 3, 2), False)):
        problem = {"x": rng.standard_normal(shape)}, {"x": rng.standard_normal((3, *shape))}
        far = abs(in_float64(rule, *problem)["x"] - torch_optim.after(make, *problem)["x"]).max()
        assert far < 1e-7 if equal else far > 1e-3


def test_rprop_of_torch_moves_in_its_first_step() -> None:
    """That optax does not, ``test_optax_rules`` tests."""
    parameters, gradients = rules.problem("float64", steps=1)
    found = torch_optim.after(table.call_torch("Rprop(p, r)"), parameters, gradients)
    expected = parameters["bias"] - R * np.sign(gradients["bias"][0])
    np.testing.assert_allclose(found["bias"], expected)


def test_dampening_spares_the_first_gradient_of_torch() -> None:
    """A trace that is scaled cannot do that: the first gradient counts in full."""
    make = table.call_torch("SGD(p, r, 0.9, dampening=0.5)")
    scaled = optax.chain(optax.scale(0.5), optax.sgd(R, 0.9))
    assert apart(scaled, make) > 1e-3
    parameters, gradients = rules.problem("float64", steps=1)
    found = torch_optim.after(make, parameters, gradients)
    np.testing.assert_allclose(found["bias"], parameters["bias"] - R * gradients["bias"][0])


def test_amsgrad_takes_its_largest_before_or_after_the_correction() -> None:
    """In PyTorch of the mean of squares, in optax of that mean with its bias corrected."""
    parameters, gradients = rules.problem("float64")
    found = torch_optim.after(table.call_torch("Adam(p, r, amsgrad=True)"), parameters, gradients)
    for corrected in (False, True):
        x, mean, square, largest = parameters["bias"].copy(), 0.0, 0.0, 0.0
        for t, g in enumerate(gradients["bias"], 1):
            mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g**2
            correction = 1 - 0.999**t
            if corrected:
                largest = np.maximum(largest, square / correction)
                root = np.sqrt(largest)
            else:
                largest = np.maximum(largest, square)
                root = np.sqrt(largest / correction)
            x -= R * mean / (1 - 0.9**t) / (root + 1e-8)
        ours = found if not corrected else in_float64(optax.amsgrad(R), parameters, gradients)
        np.testing.assert_allclose(ours["bias"], x, rtol=1e-10)


def in_float64(rule, parameters, gradients):
    import jax

    with jax.enable_x64(True):
        found = jax_optax.after(rule, parameters, gradients)
        return {name: np.asarray(array) for name, array in found.items()}


def test_radam_s_epsilon_is_added_before_the_correction_in_torch() -> None:
    without = optax.radam(R, eps=0.0)
    assert apart(without, table.call_torch("RAdam(p, r, eps=0.0)")) < 1e-12
    assert apart(optax.radam(R), table.call_torch("RAdam(p, r)")) > 1e-11


def test_the_mean_of_torch_s_nadam_has_a_schedule_that_is_not_turned_off() -> None:
    """With ``momentum_decay=0`` it is half of ``beta1``."""
    parameters, gradients = rules.problem("float64", steps=1)
    found = torch_optim.after(
        table.call_torch("NAdam(p, r, momentum_decay=0)"), parameters, gradients
    )
    g = gradients["bias"][0]
    mu = 0.9 * 0.5
    change = (1 - mu) * g / (1 - mu) + mu * 0.1 * g / (1 - mu**2)
    expected = parameters["bias"] - R * change / (abs(g) + 1e-8)
    np.testing.assert_allclose(found["bias"], expected, rtol=1e-7)


def test_lamb_and_lion_are_in_optax_alone() -> None:
    for name in ("lamb", "lion"):
        assert hasattr(optax, name)
        assert not [other for other in dir(optim) if other.lower() == name]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("nesterov_step", "sgd(r, 0.9, nesterov=True)"),
        ("adamw_step", "adamw(r, weight_decay=0.1)"),
        ("rmsprop_step", "rmsprop(r, 0.99, eps_in_sqrt=False)"),
        ("lion_step", "lion(r, weight_decay=0.1)"),
    ],
)
def test_a_pair_is_what_optax_does(in_torch, torch, name, rule) -> None:
    parameters, gradients = rules.problem("float32")
    state = {"adamw_step": 2}.get(name, 1) * (torch.zeros(4),)
    parameter = torch.tensor(parameters["bias"])
    for i, gradient in enumerate(torch.tensor(gradients["bias"]), 1):
        count = (torch.tensor(i),) if name == "adamw_step" else ()
        parameter, *state = getattr(in_torch, name)(parameter, gradient, *state, *count)
    found = jax_optax.after(table.call_optax(rule), parameters, gradients)["bias"]
    np.testing.assert_allclose(parameter, found, atol=2e-6)


def test_the_table_prints_and_shows_itself() -> None:
    found = table.RuleTable(((RULES[0], (0.0, 1e-7, 2e-3)),))
    assert "optax.sgd(r)" in str(found)
    assert "2e-03" in str(found)
    assert found._repr_html_().count("<code>") == 2
