"""To JAX: the state of ``optax.adamw`` from ``torch.optim.AdamW``'s, bit for bit.

The two names for one thing: ``exp_avg`` is ``mu``, ``exp_avg_sq`` is ``nu``, ``step`` is ``count``.
PyTorch keeps one ``step`` per parameter, as a float32; optax one ``count`` for all, as an int32.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import optax

from jaxvstorch.examples.checkpoints.jax_carry import to_jax
from jaxvstorch.examples.checkpoints.names import flat, nested, require_fit

PARTS = {"exp_avg": "mu", "exp_avg_sq": "nu"}


def state_from_torch(state_dict: dict[str, Any], names: Sequence[str], like: Any) -> Any:
    """Make an optax state of an optimizer's ``state_dict``.

    Args:
        state_dict: of a ``torch.optim.AdamW``.
        names: of its parameters, in the order in which it was given them.
        like: ``optimizer.init(params)``, whose arrays are replaced.

    Raises:
        MismatchError: a part is missing, unexpected, or of another shape or dtype.
        ValueError: the parameters have not taken the same number of steps.
    """
    found = _by_name(state_dict, names)
    require_fit(found, _wanted(like))
    steps = {int(found[f"{name}.step"]) for name in names}
    if len(steps) != 1:
        raise ValueError(f"optax has one count for all, but the steps are {sorted(steps)}")
    carried = {
        theirs: nested({name: to_jax(found[f"{name}.{ours}"]) for name in names})
        for ours, theirs in PARTS.items()
    }
    # Each counter that the state has: a schedule's is one more.
    return optax.tree.set(like, count=jnp.int32(steps.pop()), **carried)


def numbers(state_dict: dict[str, Any]) -> list[int]:
    """The numbers that an optimizer gave its parameters, in its order of them."""
    return [number for group in state_dict["param_groups"] for number in group["params"]]


def moments(state: Any) -> dict[str, dict[str, Any]]:
    """The moments in an optax state, by PyTorch's names of them and of the parameters."""
    return {ours: flat(optax.tree.get(state, theirs)) for ours, theirs in PARTS.items()}


def _by_name(state_dict: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    numbered = zip(numbers(state_dict), names, strict=True)
    return {
        f"{name}.{part}": value
        for number, name in numbered
        for part, value in state_dict["state"].get(number, {}).items()
    }


def _wanted(state: Any) -> dict[str, Any]:
    found = moments(state)
    named = {f"{name}.{part}": x for part, tree in found.items() for name, x in tree.items()}
    return named | {f"{name}.step": jnp.float32(0) for name in found["exp_avg"]}
