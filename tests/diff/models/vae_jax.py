"""The VAE in equinox: an image at a time inside, a batch at its face."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array


class VAE(eqx.Module):
    """Images of 16 by 16 pixels through six latent numbers."""

    conv1: eqx.nn.Conv2d
    conv2: eqx.nn.Conv2d
    stats: eqx.nn.Linear
    dense: eqx.nn.Linear
    up1: eqx.nn.ConvTranspose2d
    up2: eqx.nn.ConvTranspose2d

    def __init__(self, key: Array, latent: int = 6) -> None:
        keys = jax.random.split(key, 6)
        self.conv1 = eqx.nn.Conv2d(1, 8, 3, 2, padding=1, key=keys[0])
        self.conv2 = eqx.nn.Conv2d(8, 16, 3, 2, padding=1, key=keys[1])
        self.stats = eqx.nn.Linear(16 * 4 * 4, 2 * latent, key=keys[2])
        self.dense = eqx.nn.Linear(latent, 16 * 4 * 4, key=keys[3])
        self.up1 = eqx.nn.ConvTranspose2d(16, 8, 4, 2, padding=1, key=keys[4])
        self.up2 = eqx.nn.ConvTranspose2d(8, 1, 4, 2, padding=1, key=keys[5])

    def encode(self, x: Array) -> tuple[Array, Array]:
        """Return the mean and the logarithm of the variance of (1, 16, 16)."""
        h = jax.nn.elu(self.conv1(x))
        h = jax.nn.elu(self.conv2(h))
        mean, logvar = jnp.split(self.stats(h.ravel()), 2)
        return mean, logvar

    def decode(self, z: Array) -> Array:
        """Return (1, 16, 16)."""
        h = jax.nn.elu(self.dense(z))
        h = h.reshape(16, 4, 4)
        h = jax.nn.elu(self.up1(h))
        return jax.nn.sigmoid(self.up2(h))

    def __call__(self, x: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
        """Return the reconstruction, the mean, the logarithm of the variance, and the loss."""
        mean, logvar = jax.vmap(self.encode)(x)
        z = mean + jnp.exp(0.5 * logvar) * noise
        y = jax.vmap(self.decode)(z)
        likelihood = -(x * jnp.log(y) + (1 - x) * jnp.log1p(-y)).sum() / len(x)
        divergence = -0.5 * (1 + logvar - mean**2 - jnp.exp(logvar)).sum(-1).mean()
        return y, mean, logvar, likelihood + divergence


def carry(layer: eqx.Module, theirs) -> eqx.Module:
    """Return the layer with the weights of PyTorch's.

    PyTorch stores a transposed convolution as that whose gradient it is.
    """
    weight, bias = (jnp.array(p.detach().numpy()) for p in (theirs.weight, theirs.bias))
    if isinstance(layer, eqx.nn.ConvTranspose2d):
        weight = jnp.flip(weight.swapaxes(0, 1), (2, 3))
    bias = bias.reshape(layer.bias.shape)
    return eqx.tree_at(lambda at: (at.weight, at.bias), layer, (weight, bias))


def make(model) -> eqx.Module:
    """Return the network with the PyTorch model's weights."""
    net = VAE(jax.random.key(0))
    names = ["conv1", "conv2", "stats", "dense", "up1", "up2"]
    layers = [carry(getattr(net, name), getattr(model, name)) for name in names]
    return eqx.tree_at(lambda at: [getattr(at, name) for name in names], net, layers)
