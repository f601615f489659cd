"""The ResNet in flax NNX: channels last inside, channels first at its face."""

from functools import partial

import jax.numpy as jnp
from flax import nnx
from jax import Array


class Block(nnx.Module):
    """Two convolutions beside a shortcut, which is a convolution where the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int, rngs: nnx.Rngs) -> None:
        conv = partial(nnx.Conv, use_bias=False, rngs=rngs)
        norm = partial(nnx.BatchNorm, use_running_average=True, rngs=rngs)
        self.norm1 = norm(inputs)
        self.conv1 = conv(inputs, outputs, (3, 3), stride, padding=1)
        self.norm2 = norm(outputs)
        self.conv2 = conv(outputs, outputs, (3, 3), padding=1)
        self.shortcut = conv(inputs, outputs, (1, 1), stride) if stride > 1 else None

    def __call__(self, x: Array) -> Array:
        """Return (batch, height / stride, width / stride, outputs)."""
        h = nnx.relu(self.norm1(x))
        shortcut = x if self.shortcut is None else self.shortcut(h)
        h = self.conv1(h)
        h = nnx.relu(self.norm2(h))
        h = self.conv2(h)
        return shortcut + h


class ResNet(nnx.Module):
    """Images to the scores of ten classes."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Conv(3, 8, (7, 7), 2, padding=3, use_bias=False, rngs=rngs)
        sizes = [(8, 8, 1), (8, 16, 2), (16, 16, 1)]
        self.blocks = nnx.List([Block(*size, rngs=rngs) for size in sizes])
        self.norm = nnx.BatchNorm(16, use_running_average=True, rngs=rngs)
        self.head = nnx.Linear(16 * 2 * 2, 10, rngs=rngs)

    def __call__(self, images: Array) -> Array:
        """Return (batch, 10) of images (batch, 3, 32, 32)."""
        x = self.conv(images.transpose(0, 2, 3, 1))
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        for block in self.blocks:
            x = block(x)
        x = nnx.relu(self.norm(x))
        y = nnx.avg_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        y = y.transpose(0, 3, 1, 2).reshape(len(y), -1)
        return self.head(y)


def carry(layer: nnx.Module, theirs) -> None:
    """Take over the weights and statistics of one of PyTorch's layers."""
    weight = theirs.weight.detach().numpy()
    if isinstance(layer, nnx.BatchNorm):
        layer.scale[...] = jnp.array(weight)
        layer.mean[...] = jnp.array(theirs.running_mean.numpy())
        layer.var[...] = jnp.array(theirs.running_var.numpy())
    elif isinstance(layer, nnx.Conv):
        layer.kernel[...] = jnp.array(weight.transpose(2, 3, 1, 0))
    else:
        layer.kernel[...] = jnp.array(weight.T)
    if theirs.bias is not None:
        layer.bias[...] = jnp.array(theirs.bias.detach().numpy())


def make(model) -> nnx.Module:
    """Return the network with the PyTorch model's weights and statistics."""
    net = ResNet(rngs=nnx.Rngs(0))
    for name, theirs in model.named_modules():
        layer = net
        for key in filter(None, name.split(".")):
            layer = layer[int(key)] if key.isdigit() else getattr(layer, key, None)
        if isinstance(layer, (nnx.BatchNorm, nnx.Conv, nnx.Linear)):
            carry(layer, theirs)
    return net
