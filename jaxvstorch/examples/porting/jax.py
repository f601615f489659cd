"""A classifier of digits and a step of its training, in JAX.

Parameters have the names and the shapes of PyTorch's ``state_dict``.
"""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int

Named = dict[str, Float[Array, "..."]]

DECAY = 0.9  # of running statistics
EPSILON = 1e-5  # of both norms
RATE, MOMENTUM = 0.1, 0.9


def batch_norm(
    x: Float[Array, "n c h w"],
    weight: Float[Array, " c"],
    bias: Float[Array, " c"],
    mean: Float[Array, " c"],
    var: Float[Array, " c"],
) -> tuple[Float[Array, "n c h w"], Float[Array, " c"], Float[Array, " c"]]:
    """Normalize by the batch; also return the new running statistics."""
    batch_mean, batch_var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    count = x.size // x.shape[1]
    unbiased = batch_var * (count / (count - 1))
    out = _scale(x, batch_mean, batch_var, weight, bias)
    return out, _average(mean, batch_mean), _average(var, unbiased)


def forward(
    params: Named, statistics: Named, images: Float[Array, "n 8 8"]
) -> tuple[Float[Array, "n 10"], Named]:
    """The logits in training, and the new running statistics."""
    mean, var = statistics["batch_norm.running_mean"], statistics["batch_norm.running_var"]
    weight, bias = params["batch_norm.weight"], params["batch_norm.bias"]
    x, mean, var = batch_norm(_convolve(params, images), weight, bias, mean, var)
    return _head(params, x), {"batch_norm.running_mean": mean, "batch_norm.running_var": var}


def predict(
    params: Named, statistics: Named, images: Float[Array, "n 8 8"]
) -> Float[Array, "n 10"]:
    """The logits in evaluation, with the running statistics."""
    mean, var = statistics["batch_norm.running_mean"], statistics["batch_norm.running_var"]
    weight, bias = params["batch_norm.weight"], params["batch_norm.bias"]
    return _head(params, _scale(_convolve(params, images), mean, var, weight, bias))


def cross_entropy(logits: Float[Array, "n k"], labels: Int[Array, " n"]) -> Float[Array, ""]:
    """The mean over the images of minus the log-probability of the label."""
    log_probabilities = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


def accuracy(logits: Float[Array, "n k"], labels: Int[Array, " n"]) -> Float[Array, ""]:
    """The fraction of the images whose largest logit is the label's."""
    predicted = logits.argmax(axis=1).astype(labels.dtype)
    return (predicted == labels).astype(logits.dtype).mean()


def rotate(
    x: Float[Array, "n l heads size"], frequencies: Float[Array, " half"]
) -> Float[Array, "n l heads size"]:
    """Rotate each head by an angle for each position: rotary embeddings, of the two halves.

    Source: Su et al., RoFormer, 2021 (arXiv:2104.09864), in the layout of transformers.
    """
    positions = jnp.arange(x.shape[1], dtype=frequencies.dtype)
    angles = positions[:, None, None] * frequencies
    cos, sin = jnp.cos(angles).astype(x.dtype), jnp.sin(angles).astype(x.dtype)
    first, second = jnp.split(x, 2, axis=-1)
    turned = first * cos - second * sin, second * cos + first * sin
    return jnp.concatenate(turned, axis=-1)


def train_step(
    params: Named,
    statistics: Named,
    velocity: Named,
    images: Float[Array, "n 8 8"],
    labels: Int[Array, " n"],
) -> tuple[Named, Named, Named, Float[Array, ""]]:
    """One step of gradient descent with momentum; the loss is from before it."""
    gradient = jax.value_and_grad(_loss, has_aux=True)
    (loss, statistics), grads = gradient(params, statistics, images, labels)
    velocity = jax.tree.map(lambda v, g: MOMENTUM * v + g, velocity, grads)
    params = jax.tree.map(lambda p, v: p - RATE * v, params, velocity)
    return params, statistics, velocity, loss


def _loss(params: Named, statistics: Named, images: Array, labels: Array) -> tuple[Array, Named]:
    logits, statistics = forward(params, statistics, images)
    return cross_entropy(logits, labels), statistics


def _convolve(params: Named, images: Array) -> Array:
    # By default the layout is PyTorch's: NCHW, and OIHW for the weight.
    one_channel = images[:, None]
    return lax.conv_general_dilated(one_channel, params["conv.weight"], (2, 2), [(1, 1), (1, 1)])


def _scale(x: Array, mean: Array, var: Array, weight: Array, bias: Array) -> Array:
    factor = weight * lax.rsqrt(var + EPSILON)
    return (x - mean[:, None, None]) * factor[:, None, None] + bias[:, None, None]


def _average(old: Array, new: Array) -> Array:
    return DECAY * old + (1 - DECAY) * new


def _head(params: Named, x: Array) -> Array:
    x = jax.nn.relu(x).reshape(len(x), -1)
    x = x @ params["hidden.weight"].T + params["hidden.bias"]
    x = jax.nn.standardize(x, epsilon=EPSILON)
    x = jax.nn.relu(x * params["layer_norm.weight"] + params["layer_norm.bias"])
    return x @ params["output.weight"].T + params["output.bias"]
