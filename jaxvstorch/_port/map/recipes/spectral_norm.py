"""Spectral norm: divide a weight by its largest singular value.

Both keep an estimate, and improve it by a step of power iteration in each call in training. That of
flax draws it from ``rngs``, and takes ``update_stats`` in the call. ``remove_parametrizations``
leaves the normed weight in the layer; ``nnx.SpectralNorm`` wraps the layer, and keeps its own.
"""

PAGE = "modules"
NAMES = (
    "torch.nn.utils.spectral_norm",
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrize.remove_parametrizations",
    "nnx.SpectralNorm",
)


def with_torch():
    import torch
    from torch.nn.utils import parametrize
    from torch.nn.utils.parametrizations import spectral_norm

    def layer():
        made = torch.nn.Linear(2, 3)
        torch.nn.init.constant_(made.weight, 3.0)
        torch.nn.init.zeros_(made.bias)
        return made

    x = torch.ones(1, 2)
    older = torch.nn.utils.spectral_norm(layer())  # deprecated
    normed = spectral_norm(layer())
    outputs = [older(x).detach(), normed(x).detach()]
    parametrize.remove_parametrizations(normed, "weight")
    return outputs, normed.weight.detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    rngs = nnx.Rngs(0)
    layer = nnx.Linear(2, 3, kernel_init=nnx.initializers.constant(3.0), rngs=rngs)
    normed, x = nnx.SpectralNorm(layer, rngs=rngs), jnp.ones((1, 2))
    outputs = [normed(x, update_stats=True), normed(x, update_stats=False)]
    kernel = layer.kernel[...]
    return outputs, (kernel / jnp.linalg.norm(kernel, ord=2)).T
