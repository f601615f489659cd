"""The port with one of its settings left at the library's default."""

# mypy: allow-untyped-decorators

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import optax
from flax import nnx
from jax import Array

from jaxvstorch.examples.porting import jax_nnx
from jaxvstorch.examples.porting.data import Digits
from jaxvstorch.examples.porting.settings import RATE, WEIGHT_DECAY
from jaxvstorch.examples.porting.weights import FLATTENED, load

Start = Mapping[str, Any]  # PyTorch's state_dict


class Curves(NamedTuple):
    """The losses of a run."""

    training: list[float]  # of each batch
    evaluation: list[float]  # of the digits kept for it, every tenth step


def default(function: Any, argument: str) -> Any:
    """The default of a function's or a class's argument."""
    called = vars(function)["__init__"] if isinstance(function, type) else function
    return inspect.signature(called).parameters[argument].default


def ported(start: Start) -> jax_nnx.DigitsNet:
    """The model with PyTorch's settings and weights."""
    model = jax_nnx.DigitsNet(nnx.Rngs(0))
    load(model, start, FLATTENED)
    return model


def epsilon(start: Start) -> jax_nnx.DigitsNet:
    """Layer norm with flax's epsilon."""
    model = ported(start)
    model.layer_norm.epsilon = default(nnx.LayerNorm, "epsilon")
    return model


def momentum(start: Start) -> jax_nnx.DigitsNet:
    """Batch norm with flax's momentum."""
    model = ported(start)
    model.batch_norm.momentum = default(nnx.BatchNorm, "momentum")
    return model


def momentum_copied(start: Start) -> jax_nnx.DigitsNet:
    """Batch norm with PyTorch's number, which flax reads as the share of the old value."""
    model = ported(start)
    model.batch_norm.momentum = 0.1
    return model


def running_variance(start: Start) -> jax_nnx.DigitsNet:
    """Flax's own batch norm, whose running variance is biased."""
    model = ported(start)
    own = nnx.BatchNorm(8, momentum=model.batch_norm.momentum, rngs=nnx.Rngs(0))
    nnx.update(own, nnx.state(model.batch_norm))
    model.batch_norm = own
    return model


def initialization(start: Start) -> jax_nnx.DigitsNet:
    """Flax's own initial weights."""
    return jax_nnx.DigitsNet(nnx.Rngs(0))


def padding(start: Start) -> jax_nnx.DigitsNet:
    """A convolution with flax's padding, which for a stride of two pads one side."""
    model = ported(start)
    model.conv.padding = default(nnx.Conv, "padding")
    return model


def flatten_order(start: Start) -> jax_nnx.DigitsNet:
    """The weights after the flatten are transposed, and their inputs stay in PyTorch's order."""
    model = jax_nnx.DigitsNet(nnx.Rngs(0))
    load(model, start)
    return model


def kernel_order(start: Start) -> jax_nnx.DigitsNet:
    """The kernel by ``.T``, which reverses all four axes: width then comes before height."""
    model = ported(start)
    model.conv.kernel[...] = jnp.array(start["conv.weight"].T)
    return model


def train(
    model: jax_nnx.DigitsNet,
    batches: Iterable[Digits],
    evaluated: Digits,
    optimizer: optax.GradientTransformation | None = None,
    reduce: Callable[[Array], Array] = jnp.mean,
) -> Curves:
    """Train, with the port's optimizer and the mean of the losses if no other is given."""
    chosen = optimizer or optax.adamw(RATE, weight_decay=WEIGHT_DECAY)
    state, curves = nnx.Optimizer(model, chosen, wrt=nnx.Param), Curves([], [])
    for count, batch in enumerate(batches):
        losses = _step(model, state, batch.images[..., None], batch.labels, reduce)
        curves.training.append(float(losses.mean()))
        if count % 10 == 9:
            model.eval()
            losses = _losses(model, evaluated.images[..., None], evaluated.labels)
            curves.evaluation.append(float(losses.mean()))
            model.train()
    return curves


@nnx.jit
def _losses(model: jax_nnx.DigitsNet, images: Array, labels: Array) -> Array:
    return optax.softmax_cross_entropy_with_integer_labels(model(images), labels)


@nnx.jit(static_argnames="reduce")
def _step(
    model: jax_nnx.DigitsNet,
    optimizer: nnx.Optimizer,
    images: Array,
    labels: Array,
    reduce: Callable[[Array], Array],
) -> Array:
    def loss_of(model: jax_nnx.DigitsNet) -> tuple[Array, Array]:
        losses = _losses(model, images, labels)
        return reduce(losses), losses

    (_, losses), grads = nnx.value_and_grad(loss_of, has_aux=True)(model)
    optimizer.update(model, grads)
    return losses
