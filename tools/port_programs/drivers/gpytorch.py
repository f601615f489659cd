"""A Gaussian process of gpytorch, as in its first tutorial: three steps, and a prediction."""

import gpytorch
import torch
from driving import finish


class ExactGPModel(gpytorch.models.ExactGP):
    def __init__(self, train_x, train_y, likelihood):
        super().__init__(train_x, train_y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


torch.manual_seed(0)
x, y = torch.linspace(0, 1, 20), torch.sin(torch.linspace(0, 6, 20))
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = ExactGPModel(x, y, likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
likelihood_of_data = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(3):
    optimizer.zero_grad()
    loss = -likelihood_of_data(model(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
finish()
