"""Seeds and reproducible random numbers.

PyTorch has one generator a device, which each draw advances. JAX has no global state: make a key
from the seed, and split it, or fold a number into it, for each draw. The same key draws the same
numbers on any device.
"""

PAGE = "randomness"
NAMES = (
    "torch.manual_seed",
    "torch.Generator",
    "torch.seed",
    "torch.initial_seed",
    "torch.random.fork_rng",
    "torch.random.manual_seed",
    "torch.cuda.manual_seed",
    "torch.cuda.manual_seed_all",
    "torch.cuda.get_rng_state",
    "torch.cuda.set_rng_state",
    "torch.cuda.get_rng_state_all",
    "torch.cuda.set_rng_state_all",
    "torch.random.get_rng_state",
    "torch.random.set_rng_state",
    "jax.random.key",
    "jax.random.PRNGKey",
    "jax.random.split",
    "jax.random.fold_in",
)


def with_torch():
    import torch

    torch.manual_seed(0)
    first, second = torch.rand(3), torch.rand(3)
    torch.manual_seed(0)
    again = torch.rand(3)

    generator = torch.Generator().manual_seed(0)
    same = torch.rand(3, generator=generator)
    return first.equal(second), first.equal(again), first.equal(same)


def with_jax():
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    key, use = jax.random.split(key)
    first = jax.random.uniform(use, 3)
    key, use = jax.random.split(key)
    second = jax.random.uniform(use, 3)

    _, use = jax.random.split(jax.random.key(0))
    again = jax.random.uniform(use, 3)
    same = jax.random.uniform(jax.random.split(jax.random.key(0))[1], 3)
    return [jnp.array_equal(first, other) for other in (second, again, same)]
