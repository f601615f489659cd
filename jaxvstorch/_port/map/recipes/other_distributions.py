"""Uniform, beta, gamma and other distributions.

PyTorch's gamma and exponential take a rate, JAX's densities a scale, which is its inverse.
``jax.random.gamma`` and ``jax.random.beta`` draw with gradients in their parameters, as
``rsample`` does.
"""

PAGE = "randomness-sampling"
NAMES = (
    "torch.distributions.Uniform",
    "torch.distributions.Beta",
    "torch.distributions.Gamma",
    "torch.distributions.Dirichlet",
    "torch.distributions.Exponential",
    "torch.distributions.Laplace",
    "torch.distributions.Poisson",
    "torch.distributions.StudentT",
    "jax.scipy.stats.beta.logpdf",
    "jax.scipy.stats.gamma.logpdf",
    "jax.scipy.stats.dirichlet.logpdf",
)


def with_torch():
    import torch
    from torch import distributions as d

    x, t = torch.tensor([0.2, 0.7]), torch.tensor
    return (
        d.Uniform(0.0, 4.0).log_prob(x),
        d.Beta(2.0, 3.0).log_prob(x),
        d.Gamma(2.0, rate=3.0).log_prob(x),
        d.Exponential(rate=3.0).log_prob(x),
        d.Laplace(0.0, 2.0).log_prob(x),
        d.StudentT(5.0).log_prob(x),
        d.Poisson(3.0).log_prob(t([0.0, 2.0])),
        d.Dirichlet(t([1.0, 2.0])).log_prob(t([0.2, 0.8])),
    )


def with_jax():
    import jax.numpy as jnp
    from jax.scipy import stats

    x = jnp.array([0.2, 0.7])
    return (
        stats.uniform.logpdf(x, loc=0, scale=4),
        stats.beta.logpdf(x, 2, 3),
        stats.gamma.logpdf(x, 2, scale=1 / 3),
        stats.expon.logpdf(x, scale=1 / 3),
        stats.laplace.logpdf(x, 0, 2),
        stats.t.logpdf(x, 5),
        stats.poisson.logpmf(jnp.array([0, 2]), 3),
        stats.dirichlet.logpdf(jnp.array([0.2, 0.8]), jnp.array([1.0, 2.0])),
    )
