"""To PyTorch: the state of ``torch.optim.AdamW`` from ``optax.adamw``'s, bit for bit."""

from collections.abc import Sequence
from typing import Any

import optax
import torch

from jaxvstorch.examples.checkpoints.jax_optax import moments, numbers
from jaxvstorch.examples.checkpoints.torch_carry import to_torch


def state_to_torch(state: Any, names: Sequence[str], like: dict[str, Any]) -> dict[str, Any]:
    """Make an optimizer's ``state_dict`` of an optax state.

    Args:
        state: of ``optax.adamw``.
        names: of the optimizer's parameters, in the order in which it was given them.
        like: the optimizer's ``state_dict()``, for its learning rate and other settings.

    Raises:
        ValueError: the optimizer has more or fewer parameters than there are names.
        KeyError: the state has no moments for a name.
    """
    step = torch.tensor(float(_adam_count(state)))
    parts = {
        number: {
            "step": step.clone(),
            **{ours: to_torch(named[name]) for ours, named in moments(state).items()},
        }
        for number, name in zip(numbers(like), names, strict=True)
    }
    return {"state": parts, "param_groups": like["param_groups"]}


def _adam_count(state: Any) -> Any:
    def is_adams(path: Any, _: Any) -> bool:
        return getattr(path[-1], "tuple_name", "") == "ScaleByAdamState"

    return optax.tree.get(state, "count", filtering=is_adams)
