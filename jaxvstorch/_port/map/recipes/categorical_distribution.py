"""A categorical distribution: draw, log_prob, entropy, KL.

``log_softmax`` holds the log-probabilities, and the rest follows from them. Probabilities enter
``jax.random.categorical`` as ``jnp.log(probs)``.
"""

PAGE = "randomness-sampling"
NAMES = (
    "torch.distributions.Categorical",
    "torch.distributions.OneHotCategorical",
    "torch.distributions.Bernoulli",
    "torch.distributions.Multinomial",
    "jax.random.categorical",
    "jax.random.bernoulli",
    "jax.scipy.stats.bernoulli.logpmf",
)


def with_torch():
    import torch
    from torch.distributions import (
        Bernoulli,
        Categorical,
        Multinomial,
        OneHotCategorical,
        kl_divergence,
    )

    logits, actions = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]), torch.tensor([2, 0])
    policy = Categorical(logits=logits)
    share = (policy.sample((100_000,)) == 2).float().mean(0)
    return (
        (share - policy.probs[:, 2]).abs().max() < 0.01,
        policy.log_prob(actions),
        policy.entropy(),
        kl_divergence(policy, Categorical(logits=torch.zeros(2, 3))),
        Bernoulli(probs=torch.tensor(0.3)).log_prob(torch.tensor([0.0, 1.0])),
        OneHotCategorical(logits=logits).log_prob(torch.eye(3)[actions]),
        Multinomial(4, probs=torch.tensor([0.2, 0.8])).log_prob(torch.tensor([1.0, 3.0])),
    )


def with_jax():
    import jax
    import jax.numpy as jnp

    logits, actions = jnp.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]), jnp.array([2, 0])
    draws = jax.random.categorical(jax.random.key(0), logits, shape=(100_000, 2))
    log_probs = jax.nn.log_softmax(logits)
    probs, others = jnp.exp(log_probs), jax.nn.log_softmax(jnp.zeros((2, 3)))
    return (
        jnp.abs((draws == 2).mean(0) - probs[:, 2]).max() < 0.01,
        jnp.take_along_axis(log_probs, actions[:, None], axis=-1)[:, 0],
        -(probs * log_probs).sum(-1),
        (probs * (log_probs - others)).sum(-1),
        jax.scipy.stats.bernoulli.logpmf(jnp.array([0, 1]), 0.3),
        (jnp.eye(3)[actions] * log_probs).sum(-1),
        jax.scipy.stats.multinomial.logpmf(jnp.array([1, 3]), 4, jnp.array([0.2, 0.8])),
    )
