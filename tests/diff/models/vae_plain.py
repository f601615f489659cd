"""The VAE as functions of a batch, its loss from what stands before the sigmoid."""

import jax
import jax.numpy as jnp
from jax import Array, lax


@jax.custom_vjp
def elu(x: Array) -> Array:
    """Return x, or exp(x) - 1 below zero; its gradient needs the result alone."""
    return jnp.where(x > 0, x, jnp.expm1(jnp.minimum(x, 0)))


def _elu_forward(x: Array) -> tuple[Array, Array]:
    y = elu(x)
    return y, y


def _elu_backward(y: Array, gradient: Array) -> tuple[Array]:
    return (gradient * jnp.where(y > 0, 1, y + 1),)


elu.defvjp(_elu_forward, _elu_backward)


def down(p: dict, x: Array) -> Array:
    """Halve height and width."""
    y = lax.conv(jnp.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), p["weight"], (2, 2), "VALID")
    return y + p["bias"].reshape(-1, 1, 1)


def up(p: dict, x: Array) -> Array:
    """Double height and width, by the gradient of a strided convolution."""
    shape = (len(x), p["weight"].shape[1], 2 * x.shape[2], 2 * x.shape[3])

    def convolve(y: Array) -> Array:
        return lax.conv_general_dilated(y, p["weight"], (2, 2), [(1, 1), (1, 1)])

    (y,) = jax.linear_transpose(convolve, jax.ShapeDtypeStruct(shape, x.dtype))(x)
    return y + p["bias"].reshape(-1, 1, 1)


def linear(p: dict, x: Array) -> Array:
    """Apply weights that are stored as (outputs, inputs)."""
    return x @ p["weight"].T + p["bias"]


def vae(params: dict, x: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
    """Return the reconstruction, the mean, the logarithm of the variance, and the loss."""
    h = elu(down(params["conv1"], x))
    h = elu(down(params["conv2"], h))
    stats = linear(params["stats"], h.reshape(len(h), -1))
    mean, logvar = stats[:, : noise.shape[1]], stats[:, noise.shape[1] :]
    variance = jnp.exp(logvar)
    z = mean + jnp.sqrt(variance) * noise
    h = elu(linear(params["dense"], z)).reshape(h.shape)
    logits = up(params["up2"], elu(up(params["up1"], h)))
    surprise = jax.nn.softplus(logits) - x * logits
    divergence = (variance + jnp.square(mean) - 1 - logvar) / 2
    loss = (surprise.sum((1, 2, 3)) + divergence.sum(-1)).mean()
    return jax.nn.sigmoid(logits), mean, logvar, loss


def make(model):
    """Return the function and the PyTorch model's weights."""
    params = {}
    for name, value in model.state_dict().items():
        layer, kind = name.split(".")
        params.setdefault(layer, {})[kind] = jnp.array(value.numpy())
    return vae, params
