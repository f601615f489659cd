"""Keep an array that is no weight (register_buffer).

A buffer is part of the state of a model, and the optimizer does not see it. In flax it is a
variable of another type than ``nnx.Param``: a filter tells them apart.
"""

PAGE = "modules"
NAMES = (
    "Module.register_buffer",
    "Module.buffers",
    "Module.named_buffers",
    "torch.nn.Buffer",
    "nnx.Variable",
)


def with_torch():
    import torch

    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(()))
            self.register_buffer("calls", torch.tensor(0))
            self.offset = torch.nn.Buffer(torch.ones(2))

        def forward(self, x):
            self.calls += 1
            return x * self.scale

    model = Counter()
    model(torch.ones(2))
    model(torch.ones(2))
    sizes = {name: buffer.numel() for name, buffer in model.named_buffers()}
    return len([*model.parameters()]), len([*model.buffers()]), sizes, model.calls


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    class Buffer(nnx.Variable):
        pass

    class Counter(nnx.Module):
        def __init__(self):
            self.scale = nnx.Param(jnp.ones(()))
            self.calls = Buffer(jnp.array(0))
            self.offset = Buffer(jnp.ones(2))

        def __call__(self, x):
            self.calls[...] += 1
            return x * self.scale

    model = Counter()
    forward = nnx.jit(lambda model, x: model(x))  # nnx.jit returns what changed in the model
    forward(model, jnp.ones(2))
    forward(model, jnp.ones(2))
    weights, buffers = (jax.tree.leaves(nnx.state(model, kind)) for kind in (nnx.Param, Buffer))
    sizes = {"calls": model.calls[...].size, "offset": model.offset[...].size}
    return len(weights), len(buffers), sizes, model.calls[...]
