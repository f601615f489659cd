"""To PyTorch: the state of ``torch.optim.AdamW`` from ``optax.adamw``'s, bit for bit."""

from collections.abc import Sequence
from typing import Any

import torch

from jaxvstorch.examples.checkpoints.jax_optax import adam, moments, numbered
from jaxvstorch.examples.checkpoints.torch_carry import to_torch


def state_to_torch(state: Any, names: Sequence[str], like: dict[str, Any]) -> dict[str, Any]:
    """Make an optimizer's ``state_dict`` from an optax state.

    Args:
        state: of ``optax.adamw``.
        names: of the optimizer's parameters, in the order in which it got them.
        like: the optimizer's ``state_dict()``, for its learning rate and other settings.

    Raises:
        ValueError: the optimizer has more or fewer parameters than there are names, the state has
            moments of others, or the optimizer is not AdamW, or is AdamW with a third moment.
    """
    if any(group.get("amsgrad", True) for group in like["param_groups"]):
        raise ValueError(
            "the optimizer must be an AdamW without amsgrad: optax.adamw has no third moment"
        )
    part, names_of = adam(state), numbered(like, names)
    named = moments(part)
    if named["exp_avg"].keys() != set(names):
        raise ValueError(
            f"the state has moments of {sorted(named['exp_avg'])}, not of {sorted(names)}"
        )
    step = torch.tensor(float(part.count))
    parts = {
        number: {"step": step.clone(), **{ours: to_torch(x[name]) for ours, x in named.items()}}
        for number, name in names_of.items()
    }
    return {"state": parts, "param_groups": like["param_groups"]}
