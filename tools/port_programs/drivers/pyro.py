"""A Bayesian regression of pyro: three steps of stochastic variational inference."""

import pyro
import torch
from driving import finish
from pyro.distributions import Normal
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal

pyro.set_rng_seed(0)
x = torch.linspace(-1, 1, 16)
y = 2 * x + 0.5 + 0.1 * torch.randn(16)


def model(x, y):
    slope = pyro.sample("slope", Normal(0.0, 1.0))
    offset = pyro.sample("offset", Normal(0.0, 1.0))
    with pyro.plate("data", len(x)):
        pyro.sample("y", Normal(slope * x + offset, 0.1), obs=y)


guide = AutoDiagonalNormal(model)
inference = SVI(model, guide, pyro.optim.Adam({"lr": 0.02}), Trace_ELBO())
print([inference.step(x, y) for _ in range(3)])
finish()
