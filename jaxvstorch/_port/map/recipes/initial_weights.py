"""Set the initial weights.

``Module.apply`` hands every module to a function, and so does ``nnx.iter_modules``;
``jax.tree.map`` hands over the arrays. In flax a layer also takes its initial weights when it is
made, by ``kernel_init`` and ``bias_init``. A kernel of flax is PyTorch's weight, transposed.
"""

PAGE = "modules-defaults"
NAMES = (
    "Module.apply",
    "Module.modules",
    "Module.named_modules",
    "Module.children",
    "nnx.iter_modules",
    "nnx.initializers.constant",
)


def with_torch():
    import torch

    def initialize(module):
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.constant_(module.weight, 1 / module.in_features)
            torch.nn.init.zeros_(module.bias)

    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    model.apply(initialize)
    for module in model.modules():  # or named_modules, with their names
        initialize(module)
    layers = [name for name, module in model.named_modules() if name]
    return model(torch.ones(1, 4)).detach(), len(layers), len([*model.children()])


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    rngs = nnx.Rngs(0)
    model = nnx.Sequential(nnx.Linear(4, 3, rngs=rngs), nnx.tanh, nnx.Linear(3, 2, rngs=rngs))
    for _, module in nnx.iter_modules(model):
        if isinstance(module, nnx.Linear):
            kernel, bias = module.kernel, module.bias
            kernel[...] = jnp.full_like(kernel, 1 / module.in_features)
            bias[...] = jnp.zeros_like(bias)
    return model(jnp.ones((1, 4))), len(model.layers), len(model.layers)
