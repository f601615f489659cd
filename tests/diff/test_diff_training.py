"""In which step two training loops part, and from what."""

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
optax = pytest.importorskip("optax")

import jax.numpy as jnp  # noqa: E402  (after the skips)
from training_steps import (  # noqa: E402
    BATCHES,
    CROSS_ENTROPY,
    Net,
    adamw,
    jax_side,
    rule,
    torch_step,
)

from jaxvstorch import Diff, diff_training  # noqa: E402


def report(
    optimizer: Any, rule: Any, *, schedule: Any = None, clip: Any = None, **of_jax: Any
) -> Diff:
    """Both, compared."""
    torch.manual_seed(0)
    model = Net()
    made = optimizer(model.parameters())
    step = torch_step(model, made, clip=clip, schedule=schedule(made) if schedule else None)
    return diff_training(step, jax_side(model, rule, **of_jax), BATCHES)


def nesterov(parameters: Any) -> Any:
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True)


def halved(optimizer: Any) -> Any:
    return torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)


def steps_down(every: int) -> Any:
    return optax.exponential_decay(1e-3, every, 0.5, staircase=True)


RIGHT = {
    "adamw": ((adamw, rule()), {}),
    "nesterov": ((nesterov, optax.sgd(0.1, momentum=0.9, nesterov=True)), {}),
    "clipped": ((adamw, optax.chain(optax.clip_by_global_norm(0.5), rule())), {"clip": 0.5}),
    "scheduled": ((adamw, rule(steps_down(2))), {"schedule": halved}),
    "rmsprop": (
        (lambda p: torch.optim.RMSprop(p, lr=1e-3),
         optax.rmsprop(1e-3, decay=0.99, eps_in_sqrt=False)),
        {},
    ),
}  # fmt: skip
# Arguments, the step, the origin, the parameter that is named first, and words of the cause.
WRONG = {
    "decay": ((adamw, optax.adamw(1e-3)), {}, 1, "optimizer's rule", "up.weight",
              "with weight_decay=0.01 in place of weight_decay=0.0001"),
    "eps": ((adamw, rule(eps=1e-7)), {}, 1, "optimizer's rule", "up.weight",
            "with eps=1e-08 in place of eps=1e-07"),
    "betas": ((adamw, rule(b2=0.99)), {}, 2, "optimizer's rule", "up.weight",
              "with betas=(0.9, 0.999) in place of betas=(0.9, 0.99)"),
    "rate": ((adamw, rule(2e-3)), {}, 1, "optimizer's rule", "up.weight",
             "with lr=0.001 in place of lr=0.002"),
    "coupled decay": ((lambda p: torch.optim.Adam(p, lr=1e-3, weight_decay=1e-2), rule()), {},
                      1, "optimizer's rule", "up.weight", "with Adam in place of AdamW"),
    "eps inside": ((adamw, rule(eps=0.0, eps_root=1e-8)), {}, 1, "optimizer's rule", "up.weight",
                   "eps added to the root in place of eps added inside the root"),
    "nesterov": ((nesterov, optax.sgd(0.1, momentum=0.9)), {}, 1, "optimizer's rule", "up.weight",
                 "nesterov=True in place of nesterov=False"),
    "rmsprop's defaults": ((lambda p: torch.optim.RMSprop(p, lr=1e-3), optax.rmsprop(1e-3)), {},
                           1, "optimizer's rule", "up.weight",
                           "with alpha=0.99 and eps added to the root in place of alpha=0.9"),
    "no clipping": ((adamw, rule()), {"clip": 0.5}, 1, "optimizer's rule", "up.weight",
                    "with gradients that are clipped"),
    "clipping": ((adamw, optax.chain(optax.clip_by_global_norm(0.5), rule())), {},
                 1, "optimizer's rule", "up.weight",
                 "in place of gradients clipped to the norm 0.5"),
    "state": ((adamw, rule()), {"keeps_state": False}, 2, "optimizer's state", "up.weight",
              "in place of the state of a first step"),
    "schedule": ((adamw, rule(steps_down(3))), {"schedule": halved}, 3, "schedule", "up.weight",
                 "with lr=0.0005 in place of lr=0.001"),
    "loss": ((adamw, rule()), {"factor": 0.5}, 1, "forward pass", "",
             "JAX's numbers are 0.5 times PyTorch's"),
    "momentum of a norm": ((adamw, rule()), {"share": 0.9}, 1, "forward pass", "norm",
                           "with momentum=0.1 in place of momentum=0.9"),
    "variance of a norm": ((adamw, rule()), {"unbiased": False}, 1, "forward pass", "norm",
                           "running variance over n - 1 in place of the running variance over n"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_steps_are_the_same(name: str) -> None:
    arguments, options = RIGHT[name]
    found = report(*arguments, **options)
    assert found.same, str(found)
    assert found.step == found.steps == len(BATCHES)
    assert str(found).startswith("the same in 4 steps: each loss, gradient and update agrees")


@pytest.mark.parametrize("name", WRONG)
def test_it_says_in_which_step_they_part_and_from_what(name: str) -> None:
    arguments, options, step, origin, module, cause = WRONG[name]
    found = report(*arguments, **options)
    assert not found.same
    first = found.differences[0]
    assert (found.step, first.origin, first.places[0].module) == (step, origin, module), str(found)
    assert cause in first.cause
    assert f"different in step {step} of 4, in " in str(found)
    assert f"from      the {origin}" in str(found)
    assert all(place.line is not None for place in first.places)


def test_two_loops_of_pytorch_one_of_them_compiled_and_fused() -> None:
    torch.manual_seed(0)
    one, other = Net(), Net()
    other.load_state_dict(one.state_dict())
    step = torch_step(one, torch.optim.AdamW(one.parameters()))
    rest = torch.optim.AdamW(other.parameters(), weight_decay=0.1, foreach=True)
    found = diff_training(step, torch.compile(torch_step(other, rest)), BATCHES[:2])
    first = found.differences[0]
    assert first.cause == "with weight_decay=0.01 in place of weight_decay=0.1, PyTorch 2 agrees"
    assert rest.param_groups[0]["foreach"]


def test_two_loops_of_jax_and_a_gradient_by_hand() -> None:
    weights = np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3)

    def loss_of(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return CROSS_ENTROPY(x @ w, y).mean()

    def step(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return w - 0.1 * jax.grad(loss_of)(w, x, y)

    def faster(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return w - 0.2 * jax.grad(loss_of)(w, x, y)

    def by_hand(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return w - 0.1 * x.T @ (jax.nn.softmax(x @ w) - jax.nn.one_hot(y, 3)) / len(x)

    (found,) = diff_training((step, weights), (faster, weights), BATCHES).differences
    assert found.cause == "JAX 2's update is 2 times JAX 1's"
    assert diff_training((step, weights), (by_hand, weights), BATCHES).same


def test_dropout_is_random_numbers() -> None:
    weights = np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3)
    w = torch.nn.Parameter(torch.tensor(weights))
    optimizer = torch.optim.SGD([w], lr=0.1)

    def torch_step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(torch.nn.functional.dropout(x) @ w, y)
        loss.backward()
        optimizer.step()
        return loss

    def jax_step(w: jax.Array, key: jax.Array, x: jax.Array, y: jax.Array) -> Any:
        key, now = jax.random.split(key)
        x = jnp.where(jax.random.bernoulli(now, shape=x.shape), x / 0.5, 0)
        loss, g = jax.value_and_grad(lambda w: CROSS_ENTROPY(x @ w, y).mean())(w)
        return w - 0.1 * g, key, loss

    found = diff_training(torch_step, (jax_step, weights, jax.random.key(0)), BATCHES)
    assert (found.step, found.differences[0].origin) == (1, "random numbers")


def linear_steps(rule: Any, train_bias: bool = True) -> tuple[Any, Any]:
    """A layer with SGD in PyTorch, and its port."""
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 3)
    model.bias.requires_grad_(train_bias)
    step = torch_step(model, torch.optim.SGD([p for p in model.parameters() if p.requires_grad]))
    params = {k: jnp.array(x.detach().numpy()) for k, x in model.named_parameters()}

    def other(params: Any, state: Any, x: jax.Array, y: jax.Array) -> Any:
        def loss_of(p: Any) -> jax.Array:
            return CROSS_ENTROPY(x @ p["weight"].T + p["bias"], y).mean()

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, state = rule.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step, (other, params, rule.init(params))


def test_an_update_of_zero_is_that_of_a_frozen_weight() -> None:
    labels = {"weight": "trained", "bias": "frozen"}
    rules = {"trained": optax.sgd(1e-3), "frozen": optax.set_to_zero()}
    port = optax.multi_transform(rules, labels)
    assert diff_training(*linear_steps(port, train_bias=False), BATCHES).same


def test_new_values_that_are_nan_differ() -> None:
    rule = optax.stateless(lambda updates, _: jax.tree.map(lambda g: g * jnp.nan, updates))
    (first, *_) = diff_training(*linear_steps(rule), BATCHES).differences
    assert first.cause == "JAX's new values have an infinite number or NaN"


def test_a_schedule_that_begins_at_zero_is_one() -> None:
    rule = optax.sgd(optax.linear_schedule(0.0, 1e-3, 2))
    (first, *_) = diff_training(*linear_steps(rule), BATCHES).differences
    assert (first.cause, first.origin) == (
        "with lr=0.001 in place of lr=0, JAX agrees", "schedule"
    )  # fmt: skip


def test_bad_input_is_one_clear_error() -> None:
    model = Net()
    step = torch_step(model, adamw(model.parameters()))
    port = jax_side(model, rule())
    with pytest.raises(ValueError, match="batches is empty"):
        diff_training(step, port, [])
    with pytest.raises(TypeError, match="first is no training step but a module"):
        diff_training(model, port, BATCHES)
    with pytest.raises(TypeError, match="second is no training step"):
        diff_training(step, port[0], BATCHES)
    with pytest.raises(TypeError, match="nothing like its state 1 of 1"):
        diff_training(step, (lambda params, x, y: None, port[1]), BATCHES)
    with pytest.raises(ValueError, match="no weight of PyTorch has a counterpart"):
        diff_training(step, (lambda a, x, y: a * 2, np.ones(5)), BATCHES)
    with pytest.raises(ValueError, match="no weight 'up'"):
        diff_training(step, port, BATCHES, weights={"up": "up.weight"})
