"""Check a value inside compiled code (assert).

An ``assert`` on a traced value fails while JAX traces. ``checkify`` collects errors as values, and
raises when you ask; conditions on shapes stay an ``assert``.
"""

PAGE = "debugging"
NAMES = ("torch._assert", "torch._check", "torch._assert_async", "jax.experimental.checkify.check")


def with_torch():
    import torch

    def root(x):
        torch._check(bool((x >= 0).all()), lambda: "x must not be negative")
        return torch.sqrt(x)

    try:
        root(torch.tensor([-1.0]))
    except RuntimeError as error:
        text = str(error)
    return "must not be negative" in text, root(torch.tensor([4.0]))


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.experimental import checkify

    @jax.jit
    @checkify.checkify
    def root(x):
        checkify.check((x >= 0).all(), "x must not be negative")
        return jnp.sqrt(x)

    error, _ = root(jnp.array([-1.0]))
    _, result = root(jnp.array([4.0]))
    return "must not be negative" in error.get(), result  # error.throw() raises
