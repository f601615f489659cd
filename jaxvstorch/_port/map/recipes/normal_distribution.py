"""A normal distribution: draw, log_prob, entropy, KL.

JAX has functions in place of objects: ``jax.random`` draws, ``jax.scipy.stats`` holds the
densities. A draw written as ``loc + scale * noise`` has gradients in both parameters, as
``rsample`` has. ``MultivariateNormal`` sums over the last axis.
"""

PAGE = "randomness-sampling"
NAMES = (
    "torch.distributions.Normal",
    "torch.distributions.MultivariateNormal",
    "torch.distributions.Independent",
    "torch.distributions.Distribution",
    "torch.distributions.LogNormal",
    "torch.distributions.kl_divergence",
    "torch.distributions.kl.kl_divergence",
    "torch.distributions.register_kl",
    "jax.scipy.stats.norm.logpdf",
    "jax.scipy.stats.multivariate_normal.logpdf",
)


def with_torch():
    import torch
    from torch.distributions import Independent, MultivariateNormal, Normal, kl_divergence

    loc, scale = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])
    normal, x = Normal(loc, scale), torch.tensor([0.5, 0.5])
    draws = normal.rsample((100_000,))
    return (
        (draws.mean(0) - loc).abs().max() < 0.05,
        normal.log_prob(x),
        normal.entropy(),
        kl_divergence(normal, Normal(0.0, 1.0)),
        Independent(normal, 1).log_prob(x),
        MultivariateNormal(loc, torch.diag(scale**2)).log_prob(x),
    )


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.scipy.stats import multivariate_normal, norm

    loc, scale = jnp.array([0.0, 1.0]), jnp.array([1.0, 2.0])
    x = jnp.array([0.5, 0.5])
    draws = loc + scale * jax.random.normal(jax.random.key(0), (100_000, 2))
    return (
        jnp.abs(draws.mean(0) - loc).max() < 0.05,
        norm.logpdf(x, loc, scale),
        0.5 + 0.5 * jnp.log(2 * jnp.pi) + jnp.log(scale),
        (scale**2 + loc**2 - 1) / 2 - jnp.log(scale),  # from Normal(0, 1)
        norm.logpdf(x, loc, scale).sum(-1),
        multivariate_normal.logpdf(x, loc, jnp.diag(scale**2)),
    )
