"""The network of this topic in flax, whose layers take both dtypes as arguments."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class Network(nnx.Module):  # type: ignore[misc]
    """One hidden layer: parameters in float32, products and activations in bfloat16."""

    def __init__(self, features: int, hidden: int, out: int, rngs: nnx.Rngs) -> None:
        """Make the two layers.

        Args:
            features: the width of the input.
            hidden: the width of the hidden layer.
            out: the width of the output.
            rngs: for the first weights.
        """
        dtypes = {"dtype": jnp.bfloat16, "param_dtype": jnp.float32}
        self.first = nnx.Linear(features, hidden, rngs=rngs, **dtypes)
        self.second = nnx.Linear(hidden, out, rngs=rngs, **dtypes)

    def __call__(self, x: Float[Array, "n features"]) -> Float[Array, "n out"]:
        """The output, in bfloat16."""
        return self.second(jax.nn.tanh(self.first(x)))
