"""To JAX: the state of ``optax.adamw`` from ``torch.optim.AdamW``'s, bit for bit.

The two names for one thing: ``exp_avg`` is ``mu``, ``exp_avg_sq`` is ``nu``, ``step`` is ``count``.
PyTorch keeps one ``step`` per parameter, as a float32; optax one ``count`` for all, as an int32.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import optax

from jaxvstorch.examples.checkpoints.jax_carry import to_jax
from jaxvstorch.examples.checkpoints.names import filled, flat, require_fit

PARTS = {"exp_avg": "mu", "exp_avg_sq": "nu"}


def state_from_torch(state_dict: dict[str, Any], names: Sequence[str], like: Any) -> Any:
    """Make an optax state from an optimizer's ``state_dict``.

    Args:
        state_dict: of a ``torch.optim.AdamW``.
        names: of its parameters, in the order in which the optimizer got them.
        like: ``optimizer.init(params)``, whose arrays are replaced.

    Raises:
        MismatchError: a part is missing, unexpected, or of another shape or dtype. PyTorch makes
            the state of a parameter in its first step, so before that step all parts are missing.
        ValueError: the parameters have not taken the same number of steps, there are more or fewer
            names than parameters, or ``like`` holds no Adam or several.
    """
    found = _by_name(state_dict, names)
    state = adam(like)
    require_fit(found, _wanted(state))
    steps = {int(found[f"{name}.step"]) for name in names}
    if len(steps) > 1:
        raise ValueError(f"optax has one count for all, but the steps are {sorted(steps)}")
    carried = {
        theirs: filled(
            getattr(state, theirs), {name: to_jax(found[f"{name}.{ours}"]) for name in names}
        )
        for ours, theirs in PARTS.items()
    }
    # Each counter that the state has: a schedule's is one more.
    return optax.tree.set(like, count=jnp.int32(max(steps, default=0)), **carried)


def numbered(state_dict: dict[str, Any], names: Sequence[str]) -> dict[int, str]:
    """The name of each number that an optimizer gave a parameter."""
    numbers = [number for group in state_dict["param_groups"] for number in group["params"]]
    if not len(set(names)) == len(names) == len(numbers):
        raise ValueError(f"{len(numbers)} parameters need as many different names, not {names}")
    return dict(zip(numbers, names, strict=True))


def adam(state: Any) -> optax.ScaleByAdamState:
    """The part of an optax state that holds the moments, wherever it is."""

    def is_adams(part: Any) -> bool:
        return isinstance(part, optax.ScaleByAdamState)

    found = [part for part in jax.tree.leaves(state, is_leaf=is_adams) if is_adams(part)]
    if len(found) != 1:
        raise ValueError(f"one ScaleByAdamState is needed, as optax.adamw has, not {len(found)}")
    return found[0]


def moments(state: optax.ScaleByAdamState) -> dict[str, dict[str, Any]]:
    """The moments, by PyTorch's names of them and of the parameters."""
    return {ours: flat(getattr(state, theirs)) for ours, theirs in PARTS.items()}


def _by_name(state_dict: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {
        f"{name}.{part}": value
        for number, name in numbered(state_dict, names).items()
        for part, value in state_dict["state"].get(number, {}).items()
    }


def _wanted(state: optax.ScaleByAdamState) -> dict[str, Any]:
    found = moments(state)
    named = {f"{name}.{part}": x for part, tree in found.items() for name, x in tree.items()}
    return named | {f"{name}.step": jnp.float32(0) for name in found["exp_avg"]}
