"""Lists and dictionaries of modules.

flax wants ``nnx.List`` and ``nnx.Dict`` around modules and arrays in an attribute: a plain list of
them raises. ``nnx.Sequential`` takes layers and functions, and hands on keyword arguments to the
first one.
"""

PAGE = "modules"
NAMES = (
    "torch.nn.ModuleList",
    "torch.nn.ModuleDict",
    "torch.nn.ParameterList",
    "torch.nn.ParameterDict",
    "torch.nn.Sequential",
    "torch.nn.Parameter",
    "torch.nn.Module",
    "Module.register_parameter",
    "Module.parameters",
    "Module.named_parameters",
    "nnx.List",
    "nnx.Dict",
    "nnx.Sequential",
    "nnx.Param",
    "nnx.Module",
)


def with_torch():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
            self.scales = nn.ParameterDict({"in": torch.ones(2), "out": torch.ones(1)})
            self.head = nn.Sequential(nn.Linear(2, 4), nn.ReLU())

        def forward(self, x):
            x = x * self.scales["in"]
            for block in self.blocks:
                x = block(x)
            return self.head(x * self.scales["out"])

    model = Model()
    return sum(w.numel() for w in model.parameters()), model(torch.ones(4, 2)).shape


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    class Model(nnx.Module):
        def __init__(self, *, rngs):
            self.blocks = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(3)])
            self.scales = nnx.Dict({"in": nnx.Param(jnp.ones(2)), "out": nnx.Param(jnp.ones(1))})
            self.head = nnx.Sequential(nnx.Linear(2, 4, rngs=rngs), nnx.relu)

        def __call__(self, x):
            x = x * self.scales["in"]
            for block in self.blocks:
                x = block(x)
            return self.head(x * self.scales["out"])

    model = Model(rngs=nnx.Rngs(0))
    weights = nnx.state(model, nnx.Param)
    return sum(w.size for w in jax.tree.leaves(weights)), model(jnp.ones((4, 2))).shape
