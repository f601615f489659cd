"""The U-Net in flax linen: channels last inside, channels first at its face."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import linen as nn
from jax import Array

Norm = partial(nn.GroupNorm, num_groups=4, epsilon=1e-5)


class Block(nn.Module):
    """Twice a norm, an activation and a convolution, beside a shortcut."""

    features: int

    @nn.compact
    def __call__(self, x: Array) -> Array:
        """Return (batch, height, width, features)."""
        h = nn.silu(Norm(name="norm1")(x))
        h = nn.Conv(self.features, (3, 3), padding=1, name="conv1")(h)
        h = nn.silu(Norm(name="norm2")(h))
        h = nn.Conv(self.features, (3, 3), padding=1, name="conv2")(h)
        return h + nn.Conv(self.features, (1, 1), name="shortcut")(x)


class UNet(nn.Module):
    """Images to images."""

    @nn.compact
    def __call__(self, images: Array) -> Array:
        """Return (batch, 3, 16, 16) of as much."""
        x = images.transpose(0, 2, 3, 1)
        x = nn.Conv(8, (3, 3), padding=1, name="stem")(x)
        a = Block(8, name="block1")(x)
        h = nn.Conv(16, (3, 3), strides=2, padding=1, name="down1")(a)
        b = Block(16, name="block2")(h)
        h = nn.Conv(24, (3, 3), strides=2, padding=1, name="down2")(b)
        h = Block(24, name="middle")(h)
        h = jax.image.resize(h, (*b.shape[:3], 24), "nearest")
        h = Block(16, name="block3")(jnp.concatenate([h, b], axis=-1))
        h = jax.image.resize(h, (*a.shape[:3], 16), "bilinear")
        h = Block(8, name="block4")(jnp.concatenate([h, a], axis=-1))
        h = nn.silu(Norm(name="norm")(h))
        y = nn.Conv(3, (3, 3), padding=1, name="head")(h)
        return y.transpose(0, 3, 1, 2)


def make(model):
    """Return the module and its variables, the PyTorch model's weights."""
    params = {}
    for name, value in model.state_dict().items():
        *path, kind = name.split(".")
        at = params
        for layer in path:
            at = at.setdefault(layer, {})
        if kind == "bias":
            at["bias"] = jnp.array(value.numpy())
        elif value.ndim == 1:
            at["scale"] = jnp.array(value.numpy())
        else:
            at["kernel"] = jnp.array(value.numpy().transpose(2, 3, 1, 0))
    return UNet(), {"params": params}
