"""Bessel functions of SciPy in JAX.

JAX has ``i0``, ``i1`` and their scaled forms. ``bessel_jn`` needs 64 bits and gives NaN at 0. SciPy
has all: call it by ``jax.pure_callback``, and give it its derivative if you need one.
"""

PAGE = "methods-ways-out"
NAMES = (
    "torch.special.bessel_j0",
    "torch.special.bessel_j1",
    "torch.special.bessel_y0",
    "torch.special.bessel_y1",
    "torch.special.airy_ai",
    "torch.special.modified_bessel_k0",
    "torch.special.modified_bessel_k1",
    "torch.special.scaled_modified_bessel_k0",
    "torch.special.scaled_modified_bessel_k1",
)


def with_torch():
    import torch

    x = torch.tensor([0.5, 2.0])
    names = ("bessel_j0", "bessel_y1", "airy_ai", "scaled_modified_bessel_k1")
    return [getattr(torch.special, name)(x) for name in names]


def with_jax():
    import jax
    import jax.numpy as jnp
    from scipy import special

    def from_scipy(function):
        return lambda x: jax.pure_callback(
            lambda x: function(x).astype(x.dtype), jax.typeof(x), x, vmap_method="expand_dims"
        )

    def airy_ai(x):
        return special.airy(x)[0]

    x = jnp.array([0.5, 2.0])
    functions = (special.j0, special.y1, airy_ai, special.k1e)
    return [jax.jit(from_scipy(f))(x) for f in functions]
