"""The script that the port arrives at: a module, an optimizer and a step, with flax NNX."""

# mypy: allow-subclassing-any, allow-untyped-decorators

from functools import partial
from typing import Any

import optax
from flax import nnx
from jax import Array

from jaxvstorch.examples.porting.settings import RATE, WEIGHT_DECAY


class BatchNorm(nnx.BatchNorm):
    """Batch norm whose running variance is unbiased, as PyTorch's is."""

    def __call__(self, x: Array) -> Array:
        """Normalize by the batch in training, by the running statistics in evaluation."""
        old = self.momentum * self.var[...]
        out = super().__call__(x)
        if not self.use_running_average:
            count = x.size // x.shape[-1]
            self.var[...] = old + (self.var[...] - old) * (count / (count - 1))
        return out


class DigitsNet(nnx.Module):
    """Logits of images of shape ``(n, 8, 8, 1)``."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Conv(1, 8, (3, 3), strides=2, padding=1, use_bias=False, rngs=rngs)
        self.batch_norm = BatchNorm(8, momentum=0.9, rngs=rngs)
        self.hidden = nnx.Linear(128, 32, rngs=rngs)
        self.layer_norm = nnx.LayerNorm(32, epsilon=1e-5, rngs=rngs)
        self.output = nnx.Linear(32, 10, rngs=rngs)

    def __call__(self, images: Array) -> Array:
        """The logits, of shape ``(n, 10)``."""
        x = nnx.relu(self.batch_norm(self.conv(images)))
        x = x.reshape(len(x), -1)
        x = nnx.relu(self.layer_norm(self.hidden(x)))
        x = self.output(x)
        return x


def make(seed: int = 0) -> tuple[DigitsNet, Any]:
    """A new module and its optimizer."""
    model = DigitsNet(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.adamw(RATE, weight_decay=WEIGHT_DECAY), wrt=nnx.Param)


@partial(nnx.jit, donate_argnames=("model", "optimizer"))
def train_step(model: nnx.Module, optimizer: nnx.Optimizer, images: Array, labels: Array) -> Array:
    """Change the model by one batch; the loss is from before the change."""

    def loss_of(model: nnx.Module) -> Array:
        losses = optax.softmax_cross_entropy_with_integer_labels(model(images), labels)
        return losses.mean()

    loss, grads = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, grads)
    return loss
