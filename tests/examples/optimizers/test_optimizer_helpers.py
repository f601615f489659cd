"""Clipping and accumulation by the topic's helpers, and how its table prints."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from torch import optim  # noqa: E402
from torch.nn import Parameter  # noqa: E402

from jaxvstorch.examples.optimizers import jax as in_jax  # noqa: E402
from jaxvstorch.examples.optimizers import jax_optax, rules, table, torch_optim  # noqa: E402
from jaxvstorch.examples.optimizers import torch as in_torch  # noqa: E402


def far(ours, own):
    return max(
        float(abs(np.asarray(ours[name]) - own[name].numpy(force=True)).max()) for name in own
    )


def test_a_gradient_of_zero_stays_zero() -> None:
    for half, array in ((in_jax, jnp.array), (in_torch, torch.tensor)):
        assert not half.clip_by_global_norm({"a": array([0.0, 0.0])})["a"].any()


def test_clipped_steps_are_equal() -> None:
    parameters, gradients = rules.problem("float32")
    ours = jax_optax.after(jax_optax.clipped(optax.adam(0.01), 1.0), parameters, gradients)
    own = {name: Parameter(torch.tensor(value)) for name, value in parameters.items()}
    optimizer = optim.Adam(own.values(), 0.01)
    for i in range(rules.STEPS):
        for name, parameter in own.items():
            parameter.grad = torch.tensor(gradients[name][i])
        torch_optim.clipped_step(optimizer, list(own.values()), 1.0)
    assert far(ours, own) < 1e-5


def test_accumulated_steps_are_equal_and_move_once_in_four_calls() -> None:
    parameters, gradients = rules.problem("float32", steps=8)
    steps = jax_optax.accumulated(optax.adamw(0.01, weight_decay=0.01), 4)
    ours = jax.tree.map(jnp.asarray, parameters)
    state, update, moved = steps.init(ours), jax.jit(steps.update), []
    for i in range(8):
        updates, state = update({n: g[i] for n, g in gradients.items()}, state, ours)
        ours = optax.apply_updates(ours, updates)
        moved.append(bool(updates["bias"].any()))
    assert moved == [False, False, False, True] * 2
    own = {name: Parameter(torch.tensor(value)) for name, value in parameters.items()}
    optimizer = optim.AdamW(own.values(), 0.01)

    def loss(i):
        return lambda: sum((own[n] * torch.tensor(g[i])).sum() for n, g in gradients.items())

    for start in (0, 4):
        torch_optim.accumulated_step(optimizer, [loss(i) for i in range(start, start + 4)])
    assert far(ours, own) < 1e-5


def test_the_table_prints_and_shows_itself() -> None:
    printed = table.RuleTable(((rules.RULES[0], (0.0, 1e-7, 2e-3)),))
    assert "optax.sgd(r)" in str(printed)
    assert "2e-03" in str(printed)
    assert printed._repr_html_().count("<code>") == 2
