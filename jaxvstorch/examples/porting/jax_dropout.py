"""The port with dropout before its last layer, and with dropout whose scale was forgotten."""

# mypy: allow-subclassing-any

from flax import nnx
from jax import Array

from jaxvstorch.examples.porting import jax_nnx
from jaxvstorch.examples.porting.jax_defaults import Start, ported

SHARE = 0.5  # of the values that are dropped


class Unscaled(nnx.Dropout):
    """Dropout that does not divide what stays by the share that stays."""

    def __call__(self, x: Array) -> Array:
        """Drop in training, and leave ``x`` as it is in evaluation."""
        out = super().__call__(x)
        return out if self.deterministic else out * (1 - self.rate)


def scaled(start: Start) -> jax_nnx.DigitsNet:
    """Dropout as in both libraries."""
    return _with(nnx.Dropout(SHARE, rngs=nnx.Rngs(0)), start)


def unscaled(start: Start) -> jax_nnx.DigitsNet:
    """The same masks, and a layer written by hand that only multiplies by them."""
    return _with(Unscaled(SHARE, rngs=nnx.Rngs(0)), start)


def _with(layer: nnx.Dropout, start: Start) -> jax_nnx.DigitsNet:
    model = ported(start)
    model.output = nnx.Sequential(layer, model.output)
    return model
