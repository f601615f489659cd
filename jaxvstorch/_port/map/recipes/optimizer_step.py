"""One step of an optimizer.

``tx.update`` returns what to add to the weights, and the next state; nothing is changed in place.
``nnx.Optimizer`` keeps model and state together, and its ``update`` changes both.
"""

PAGE = "optimizers"
NAMES = (
    "Optimizer.step",
    "torch.optim.Optimizer",
    "torch.optim.optimizer.Optimizer",
    "optax.apply_updates",
    "optax.GradientTransformation",
    "nnx.Optimizer",
    "nnx.ModelAndOptimizer",
)


def with_torch():
    import torch

    model = torch.nn.Linear(2, 1)
    for weight in model.parameters():
        torch.nn.init.constant_(weight, 0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (model(torch.ones(4, 2)) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.detach(), model.weight.detach().T


def with_jax():
    import jax.numpy as jnp
    import optax
    from flax import nnx

    half = nnx.initializers.constant(0.5)
    model = nnx.Linear(2, 1, kernel_init=half, bias_init=half, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)

    @nnx.jit
    def step(model, optimizer, x):
        loss, gradients = nnx.value_and_grad(lambda model: (model(x) ** 2).mean())(model)
        optimizer.update(model, gradients)
        return loss

    for _ in range(3):
        loss = step(model, optimizer, jnp.ones((4, 2)))
    return loss, model.kernel[...]
