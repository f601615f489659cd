"""ResNet with basic blocks, as transformers and torchvision have it, in flax NNX."""

# mypy: allow-subclassing-any

import re

from flax import nnx
from jax import Array
from jaxtyping import Float

from jaxvstorch.examples.porting.jax_nnx import BatchNorm

# What transformers calls a layer whose name here matches.
NAMES = {
    r"^stem\.": "resnet.embedder.embedder.",
    r"^stages\.(\d+)\.(\d+)\.first\.": r"resnet.encoder.stages.\1.layers.\2.layer.0.",
    r"^stages\.(\d+)\.(\d+)\.second\.": r"resnet.encoder.stages.\1.layers.\2.layer.1.",
    r"^stages\.(\d+)\.(\d+)\.shortcut\.": r"resnet.encoder.stages.\1.layers.\2.shortcut.",
    r"\.conv\.": ".convolution.",
    r"\.norm\.": ".normalization.",
    r"^head\.": "classifier.1.",
}


def rename(name: str) -> str:
    """The name in transformers of an array here."""
    for ours, theirs in NAMES.items():
        name = re.sub(ours, theirs, name)
    return name


class ConvNorm(nnx.Module):
    """A convolution and batch norm."""

    def __init__(self, inputs: int, outputs: int, side: int, stride: int, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Conv(inputs, outputs, (side, side), strides=stride, padding=side // 2,
                             use_bias=False, rngs=rngs)  # fmt: skip
        self.norm = BatchNorm(outputs, momentum=0.9, rngs=rngs)

    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n h2 w2 c2"]:
        """The layer's result."""
        return self.norm(self.conv(x))


class Block(nnx.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int, rngs: nnx.Rngs) -> None:
        self.first = ConvNorm(inputs, outputs, 3, stride, rngs)
        self.second = ConvNorm(outputs, outputs, 3, 1, rngs)
        changes = inputs != outputs or stride != 1
        self.shortcut = ConvNorm(inputs, outputs, 1, stride, rngs) if changes else None

    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n h2 w2 c2"]:
        """The layer's result."""
        y = self.second(nnx.relu(self.first(x)))
        return nnx.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nnx.Module):
    """Logits of images whose channels are last."""

    def __init__(self, widths: tuple[int, ...], depth: int, classes: int, rngs: nnx.Rngs) -> None:
        self.stem = ConvNorm(3, widths[0], 7, 2, rngs)
        stages, inputs = [], widths[0]
        for number, width in enumerate(widths):
            blocks = [Block(inputs, width, 2 if number else 1, rngs)]
            blocks += [Block(width, width, 1, rngs) for _ in range(depth - 1)]
            stages.append(nnx.List(blocks))
            inputs = width
        self.stages = nnx.List(stages)
        self.head = nnx.Linear(widths[-1], classes, rngs=rngs)

    def __call__(self, images: Float[Array, "n h w 3"]) -> Float[Array, "n classes"]:
        """The logits."""
        x = nnx.relu(self.stem(images))
        # The padding of a maximum is -inf in both frameworks.
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        for stage in self.stages:
            for block in stage:
                x = block(x)
        return self.head(x.mean((1, 2)))
