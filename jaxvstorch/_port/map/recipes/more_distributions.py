"""Binomial, Cauchy, Pareto, mixtures and other distributions.

PyTorch's geometric counts from 0, JAX's from 1. The probability of PyTorch's negative binomial is
one minus that of JAX's. A mixture is a ``logsumexp`` over the components.
"""

PAGE = "randomness-sampling"
NAMES = (
    "torch.distributions.Binomial",
    "torch.distributions.NegativeBinomial",
    "torch.distributions.Geometric",
    "torch.distributions.Cauchy",
    "torch.distributions.Chi2",
    "torch.distributions.Gumbel",
    "torch.distributions.HalfNormal",
    "torch.distributions.Pareto",
    "torch.distributions.VonMises",
    "torch.distributions.Weibull",
    "torch.distributions.MixtureSameFamily",
)


def with_torch():
    import torch
    from torch import distributions as d

    x, k = torch.tensor([0.5, 2.0]), torch.tensor([0.0, 2.0])
    mixture = d.Categorical(torch.tensor([0.3, 0.7])), d.Normal(torch.tensor([0.0, 1.0]), 1.0)
    return (
        d.Binomial(5, 0.3).log_prob(k),
        d.NegativeBinomial(5, 0.3).log_prob(k),
        d.Geometric(0.3).log_prob(k),
        d.Cauchy(0.0, 2.0).log_prob(x),
        d.Chi2(3.0).log_prob(x),
        d.Gumbel(0.0, 2.0).log_prob(x),
        d.HalfNormal(2.0).log_prob(x),
        d.Pareto(0.4, 3.0).log_prob(x),
        d.VonMises(0.0, 2.0).log_prob(x),
        d.Weibull(2.0, 3.0).log_prob(x),
        d.MixtureSameFamily(*mixture).log_prob(x),
    )


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.scipy import stats

    x, k = jnp.array([0.5, 2.0]), jnp.array([0, 2])
    parts = stats.norm.logpdf(x[:, None], jnp.array([0.0, 1.0]))
    return (
        stats.binom.logpmf(k, 5, 0.3),
        stats.nbinom.logpmf(k, 5, 1 - 0.3),
        stats.geom.logpmf(k + 1, 0.3),
        stats.cauchy.logpdf(x, 0, 2),
        stats.chi2.logpdf(x, 3),
        stats.gumbel_r.logpdf(x, 0, 2),
        stats.norm.logpdf(x, 0, 2) + jnp.log(2),
        stats.pareto.logpdf(x, 3, scale=0.4),
        stats.vonmises.logpdf(x, 2),
        jnp.log(3 / 2) + 2 * jnp.log(x / 2) - (x / 2) ** 3,
        jax.nn.logsumexp(parts + jnp.log(jnp.array([0.3, 0.7])), axis=-1),
    )
