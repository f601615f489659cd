"""Training steps of both frameworks for one small model."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch

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


def adamw(parameters: Any) -> Any:
    """The optimizer that most cases have."""
    return torch.optim.AdamW(parameters, lr=1e-3)


def rule(rate: Any = 1e-3, **options: Any) -> Any:
    """PyTorch's ``AdamW`` with its own defaults, in optax."""
    return optax.adamw(rate, **{"weight_decay": 1e-2, **options})
