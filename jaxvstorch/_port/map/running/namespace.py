"""What an expression of the map can read, beside its parameters."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax

from jaxvstorch._port.map import paste


def namespace(seed: int = 0) -> dict[str, Any]:
    """The modules by the names that the map gives them, a key, and flax's random numbers."""
    return {
        "jax": jax, "jnp": jnp, "lax": lax, "nnx": nnx, "optax": optax, "paste": paste,
        "key": jax.random.key(seed), "rngs": nnx.Rngs(seed),
    }  # fmt: skip


class Weights:
    """A module's weights by name; one that it does not have, as a bias switched off, is None."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update({name.replace(".", "_"): value for name, value in state.items()})

    def __getattr__(self, name: str) -> None:
        return None
