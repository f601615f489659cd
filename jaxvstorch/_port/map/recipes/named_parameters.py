"""Parameters by name.

``nnx.to_flat_state`` gives each variable with its path, as ``named_parameters`` gives each
parameter with its name. An array in an attribute is a parameter where ``nnx.Param`` is around it.
"""

PAGE = "modules"
NAMES = (
    "torch.nn.Parameter",
    "torch.nn.ParameterList",
    "torch.nn.ModuleDict",
    "Module.register_parameter",
    "Module.named_parameters",
    "Module.get_submodule",
    "Module.add_module",
    "Module.forward",
    "nnx.Param",
    "nnx.to_flat_state",
)


def with_torch():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))
            self.register_parameter("shift", nn.Parameter(torch.zeros(2)))
            self.powers = nn.ParameterList([torch.ones(1), torch.ones(3)])
            self.heads = nn.ModuleDict({"a": nn.Linear(2, 5)})
            self.add_module("last", nn.Linear(2, 2, bias=False))

        def forward(self, x):
            return self.last(x * self.scale + self.shift)

    model = Model()
    sizes = {name.replace("weight", "kernel"): w.numel() for name, w in model.named_parameters()}
    return sizes, model.get_submodule("heads.a").out_features, model.forward(torch.ones(4, 2)).shape


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    class Model(nnx.Module):
        def __init__(self, *, rngs):
            self.scale = nnx.Param(jnp.ones(2))
            self.shift = nnx.Param(jnp.zeros(2))
            self.powers = nnx.List([nnx.Param(jnp.ones(1)), nnx.Param(jnp.ones(3))])
            self.heads = nnx.Dict({"a": nnx.Linear(2, 5, rngs=rngs)})
            self.last = nnx.Linear(2, 2, use_bias=False, rngs=rngs)

        def __call__(self, x):
            return self.last(x * self.scale + self.shift)

    model = Model(rngs=nnx.Rngs(0))
    flat = nnx.to_flat_state(nnx.state(model, nnx.Param))
    sizes = {".".join(map(str, path)): w[...].size for path, w in flat}
    return sizes, model.heads["a"].out_features, model(jnp.ones((4, 2))).shape
