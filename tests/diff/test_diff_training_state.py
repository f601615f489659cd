"""What a step holds, and where: ``diff_training`` lets it go on, and leaves it as it was."""

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
from training_steps import BATCHES, CROSS_ENTROPY, torch_step  # noqa: E402

from jaxvstorch import diff_training  # noqa: E402


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


def test_a_weight_that_only_one_side_trains() -> None:
    trainer, port = Trainer(), Port(nnx.Rngs(0))
    last = trainer.model[2].parameters()
    trainer.optimizer = torch.optim.Adam(last)
    optimizer = nnx.Optimizer(port, optax.adam(warm(3)), wrt=nnx.Param)
    found = diff_training(trainer.step, (nnx_step, port, optimizer), BATCHES)
    assert found.step == 1
    assert "only JAX changes the weight model.0.weight" in str(found)


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
