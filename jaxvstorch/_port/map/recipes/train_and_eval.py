"""Train and eval mode.

Both switch dropout and batch norm. ``model.eval()`` of flax changes the model, as PyTorch's does;
``nnx.view`` makes a second model of the other mode, which shares the weights. The running variance
of PyTorch divides by n - 1, that of flax by n.
"""

PAGE = "modules"
NAMES = ("Module.train", "Module.eval", "Module.training", "nnx.Module.eval", "nnx.view")


def with_torch():
    import torch

    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5))
    x = torch.linspace(-1, 2, 20).reshape(10, 2)
    model.train()
    random = not model(x).equal(model(x))
    model.eval()
    return random, model(x).equal(model(x)), model[0].running_mean, model.training


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    norm = nnx.BatchNorm(2, momentum=0.9, use_fast_variance=False, rngs=nnx.Rngs(0))
    model = nnx.Sequential(norm, nnx.Dropout(0.5, rngs=nnx.Rngs(0)))
    x = jnp.linspace(-1, 2, 20).reshape(10, 2)
    random = not jnp.array_equal(model(x), model(x))
    evaluated = nnx.view(model, deterministic=True, use_running_average=True)
    same = jnp.array_equal(evaluated(x), evaluated(x))
    norm = evaluated.layers[0]
    return random, same, norm.mean[...], not norm.use_running_average
