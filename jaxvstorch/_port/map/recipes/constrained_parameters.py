"""Constrained parameters (constraints, biject_to).

Learn an unconstrained array, and transform it: ``softplus`` or ``exp`` for positive values,
``sigmoid`` for those between 0 and 1. A density in the other variable has the logarithm of the
derivative added.
"""

PAGE = "randomness-sampling"
NAMES = (
    "torch.distributions.biject_to",
    "torch.distributions.transform_to",
    "torch.distributions.transforms.Transform",
    "torch.distributions.transforms.ExpTransform",
    "torch.distributions.transforms.AffineTransform",
    "torch.distributions.TransformedDistribution",
    "torch.distributions.constraints.positive",
    "torch.distributions.constraints.unit_interval",
    "torch.distributions.constraints.Constraint",
)


def with_torch():
    import torch
    from torch.distributions import Normal, TransformedDistribution, constraints, transform_to
    from torch.distributions.transforms import ExpTransform

    free = torch.tensor([-1.0, 0.5])
    log_normal = TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()])
    positive = transform_to(constraints.positive)(free)
    share = transform_to(constraints.unit_interval)(free)
    return positive, share, log_normal.log_prob(positive)


def with_jax():
    import jax
    import jax.numpy as jnp

    free = jnp.array([-1.0, 0.5])
    positive, share = jnp.exp(free), jax.nn.sigmoid(free)
    log_density = jax.scipy.stats.norm.logpdf(jnp.log(positive)) - jnp.log(positive)
    return positive, share, log_density
