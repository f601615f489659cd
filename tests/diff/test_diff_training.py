"""In which step two training loops part, from what, and what ``diff_training`` leaves unchanged."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
nnx = pytest.importorskip("flax.nnx")
optax = pytest.importorskip("optax")

import jax.numpy as jnp  # noqa: E402  (after the skips)

from jaxvstorch import Diff, diff_training  # noqa: E402

RNG = np.random.default_rng(0)
BATCHES = [(RNG.normal(size=(8, 6)).astype(np.float32), RNG.integers(0, 3, 8)) for _ in range(4)]
CROSS_ENTROPY = optax.softmax_cross_entropy_with_integer_labels


class Net(torch.nn.Module):
    """Two layers, and a norm whose first bias has no gradient but roundings."""

    def __init__(self) -> None:
        super().__init__()
        self.up = torch.nn.Linear(6, 16)
        self.norm = torch.nn.BatchNorm1d(16)
        self.down = torch.nn.Linear(16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, 6) to (batch, 3)."""
        return self.down(torch.tanh(self.norm(self.up(x))))


def torch_step(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    clip: float | None = None,
    schedule: Any = None,
) -> Callable[..., torch.Tensor]:
    """A step of PyTorch."""

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if schedule:
            schedule.step()
        return loss

    return step


def jax_side(
    model: Net,
    rule: Any,
    *,
    share: float = 0.1,
    unbiased: bool = True,
    factor: float = 1.0,
    keeps_state: bool = True,
) -> tuple[Any, ...]:
    """A step of JAX and its states."""

    def array(x: torch.Tensor) -> jax.Array:
        return jnp.array(x.detach().numpy())

    params = {
        "up": {"kernel": array(model.up.weight.T), "bias": array(model.up.bias)},
        "scale": array(model.norm.weight),
        "shift": array(model.norm.bias),
        "down": {"kernel": array(model.down.weight.T), "bias": array(model.down.bias)},
    }
    stats = {"mean": array(model.norm.running_mean), "var": array(model.norm.running_var)}

    def loss_of(params: Any, stats: Any, x: jax.Array, y: jax.Array) -> tuple[jax.Array, Any]:
        h = x @ params["up"]["kernel"] + params["up"]["bias"]
        mean, var = h.mean(0), h.var(0)
        correction = len(x) / (len(x) - 1) if unbiased else 1.0
        stats = {
            "mean": (1 - share) * stats["mean"] + share * mean,
            "var": (1 - share) * stats["var"] + share * var * correction,
        }
        h = (h - mean) / jnp.sqrt(var + 1e-5) * params["scale"] + params["shift"]
        logits = jnp.tanh(h) @ params["down"]["kernel"] + params["down"]["bias"]
        return factor * CROSS_ENTROPY(logits, y).mean(), stats

    @jax.jit
    def step(params: Any, stats: Any, state: Any, x: jax.Array, y: jax.Array) -> Any:
        (loss, stats), gradients = jax.value_and_grad(loss_of, has_aux=True)(params, stats, x, y)
        updates, new = rule.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        return params, stats, new if keeps_state else state, loss

    return step, params, stats, rule.init(params)


def report(
    optimizer: Any, rule: Any, *, schedule: Any = None, clip: Any = None, **of_jax: Any
) -> Diff:
    """Both, compared."""
    torch.manual_seed(0)
    model = Net()
    made = optimizer(model.parameters())
    step = torch_step(model, made, clip=clip, schedule=schedule(made) if schedule else None)
    return diff_training(step, jax_side(model, rule, **of_jax), BATCHES)


def adamw(parameters: Any) -> Any:
    """The optimizer that most cases have."""
    return torch.optim.AdamW(parameters, lr=1e-3)


def nesterov(parameters: Any) -> Any:
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True)


def halved(optimizer: Any) -> Any:
    return torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)


def steps_down(every: int) -> Any:
    return optax.exponential_decay(1e-3, every, 0.5, staircase=True)


def rule(rate: Any = 1e-3, **options: Any) -> Any:
    """PyTorch's ``AdamW`` with its own defaults, in optax."""
    return optax.adamw(rate, **{"weight_decay": 1e-2, **options})


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


class Trainer:
    """A loop as many are written: with a warm-up by hand, and an average of the weights."""

    def __init__(self) -> None:
        self.model = torch.nn.Sequential(
            torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3)
        )
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.average = torch.optim.swa_utils.AveragedModel(self.model)
        self.steps = 0

    def step(self, x: torch.Tensor, y: torch.Tensor) -> float:
        """One step; its loss is no tensor."""
        self.steps += 1
        for group in self.optimizer.param_groups:
            group["lr"] = 1e-2 * min(1.0, self.steps / 3)
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.average.update_parameters(self.model)
        return loss.item()


class Port(nnx.Module):
    """The trainer's model."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(6, 16, rngs=rngs)
        self.last = nnx.Linear(16, 3, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        """(batch, 6) to (batch, 3)."""
        return self.last(jnp.tanh(self.first(x)))


@nnx.jit
def nnx_step(model: Port, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array) -> jax.Array:
    """A step that changes its arguments."""
    loss, gradients = nnx.value_and_grad(lambda m: CROSS_ENTROPY(m(x), y).mean())(model)
    optimizer.update(model, gradients)
    return loss


def warm(steps: int) -> Callable[[Any], Any]:
    return lambda n: 1e-2 * jnp.minimum(1.0, (n + 1) / steps)


@pytest.mark.parametrize(("steps", "parts_in"), [(3, 0), (2, 1)])
def test_a_trainer_is_as_before(steps: int, parts_in: int) -> None:
    trainer, port = Trainer(), Port(nnx.Rngs(0))
    optimizer = nnx.Optimizer(port, optax.adam(warm(steps)), wrt=nnx.Param)
    before = {name: x.clone() for name, x in trainer.model.state_dict().items()}
    generator = torch.get_rng_state()
    found = diff_training(trainer.step, (nnx_step, port, optimizer), BATCHES)
    assert (0 if found.same else found.step) == parts_in, str(found)
    assert trainer.steps == 0
    assert trainer.optimizer.param_groups[0]["lr"] == 1e-3
    assert not trainer.optimizer.state
    assert int(trainer.average.n_averaged) == 0
    for name, x in trainer.model.state_dict().items():
        assert torch.equal(x, before[name]), name
    assert all(x.grad is None for x in trainer.model.parameters())
    assert torch.equal(generator, torch.get_rng_state())
    assert int(optimizer.step[...]) == 0
    assert any("what the steps return is not compared" in note for note in found.notes)


class Lit(torch.nn.Module):
    """A module that holds its optimizer, and counts in an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(6, 3)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)
        self.calls = 0

    def step(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """One step, whose rate depends on the count."""
        assert isinstance(self, Lit)
        self.calls += 1
        self.optimizer.param_groups[0]["lr"] = 0.1 / self.calls
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.layer(x), y)
        loss.backward()
        self.optimizer.step()
        return loss


def test_a_module_that_holds_its_optimizer() -> None:
    model = Lit()
    weights = {"w": model.layer.weight.detach().numpy(), "b": model.layer.bias.detach().numpy()}

    def step(params: Any, calls: jax.Array, x: jax.Array, y: jax.Array) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return CROSS_ENTROPY(x @ params["w"].T + params["b"], y).mean()

        loss, g = jax.value_and_grad(loss_of)(params)
        rate = 0.1 / (calls + 1)
        return jax.tree.map(lambda p, g: p - rate * g, params, g), calls + 1, loss

    found = diff_training(model.step, (step, weights, jnp.int32(0)), BATCHES)
    assert found.same, str(found)
    assert model.calls == 0
    (wrong,) = diff_training(model.step, (step, weights, jnp.int32(1)), BATCHES).differences
    assert (
        "with lr=0.1 in place of lr=0.05 (or gradients 0.5 times as large), JAX agrees"
        in wrong.cause
    )


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


def test_a_weight_that_only_one_side_trains() -> None:
    trainer, port = Trainer(), Port(nnx.Rngs(0))
    last = trainer.model[2].parameters()
    trainer.optimizer = torch.optim.Adam(last)
    optimizer = nnx.Optimizer(port, optax.adam(warm(3)), wrt=nnx.Param)
    found = diff_training(trainer.step, (nnx_step, port, optimizer), BATCHES)
    assert found.step == 1
    assert "only JAX changes the weight model.0.weight" in str(found)


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


def step_by_hand(kept: Any, change: Callable[..., Any]) -> Callable[..., torch.Tensor]:
    """A step of PyTorch with an update by hand: ``change(kept, parameters)`` gives the rate."""
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 3)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        parameters = list(model.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, update in zip(parameters, change(kept, gradients), strict=True):
                parameter -= update
        return loss

    return step


def momentum(kept: list[Any], gradients: Any) -> list[torch.Tensor]:
    """Moments in a list that begins empty of them."""
    kept[:] = [g if m is None else 0.9 * m + g for m, g in zip(kept, gradients, strict=True)]
    return [0.1 * m for m in kept]


def halved_at_three(kept: dict[str, int], gradients: Any) -> list[torch.Tensor]:
    """A rate by a count of steps."""
    kept["n"] += 1
    return [(0.1 if kept["n"] < 3 else 0.05) * g for g in gradients]


def noisy(kept: np.random.Generator, gradients: Any) -> list[torch.Tensor]:
    """A rate that is drawn."""
    return [float(kept.uniform(0.1, 0.2)) * g for g in gradients]


@pytest.mark.parametrize(
    ("make", "change"),
    [(lambda: [None, None], momentum), (lambda: {"n": 0}, halved_at_three),
     (lambda: np.random.default_rng(0), noisy)],
    ids=["list", "dict", "generator"],
)  # fmt: skip
def test_what_a_step_keeps_in_containers_goes_on_and_is_put_back(make, change) -> None:
    kept, other = make(), make()
    compared = diff_training(step_by_hand(kept, change), step_by_hand(other, change), BATCHES)
    assert compared.same, str(compared)
    for container in (kept, other):
        now, before = (
            x.bit_generator.state if isinstance(x, np.random.Generator) else x
            for x in (container, make())
        )
        assert now == before


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


def test_a_network_that_begins_as_a_copy_is_not_taken_for_the_trained_one() -> None:
    torch.manual_seed(0)
    online = torch.nn.Linear(6, 3)
    target = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.SGD(online.parameters(), 0.1)
    params = {k: jnp.array(x.detach().numpy()) for k, x in online.named_parameters()}

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.smooth_l1_loss(online(x), target(x.flip(0)))
        loss.backward()
        optimizer.step()
        return loss

    def other(p: Any, old: Any, x: jax.Array, y: jax.Array) -> Any:
        def loss_of(p: Any) -> jax.Array:
            wanted = x[::-1] @ old["weight"].T + old["bias"]
            return optax.huber_loss(x @ p["weight"].T + p["bias"], wanted).mean()

        loss, gradients = jax.value_and_grad(loss_of)(p)
        return jax.tree.map(lambda w, g: w - 0.1 * g, p, gradients), old, loss

    compared = diff_training(step, (other, params, params), BATCHES)
    assert compared.same, str(compared)


def test_an_average_that_is_not_compared_is_named() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 3)
    average = torch.optim.swa_utils.AveragedModel(model)
    inner = torch_step(model, torch.optim.SGD(model.parameters(), 0.1))

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = inner(x, y)
        average.update_parameters(model)
        return loss

    notes = diff_training(step, inner, BATCHES[:2]).notes
    assert any("changes, and they are not compared: average.module.weight" in x for x in notes)


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
