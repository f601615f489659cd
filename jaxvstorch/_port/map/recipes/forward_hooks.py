"""Read what a layer returns (forward hook).

A hook of PyTorch sees each output. Where the model is yours, return the value, or store it by
``self.sow`` in its ``__call__``; ``nnx.capture`` reads what was stored, and by its
``method_outputs`` what every module returned.
"""

PAGE = "debugging"
NAMES = (
    "Module.register_forward_hook",
    "Module.register_forward_pre_hook",
    "torch.utils.hooks.RemovableHandle",
    "nnx.capture",
    "nnx.Module.sow",
    "nnx.Intermediate",
)


def with_torch():
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    for weight in model.parameters():
        torch.nn.init.constant_(weight, 0.5)
    outputs = []
    handle = model[0].register_forward_hook(lambda module, inputs, output: outputs.append(output))
    result = model(torch.ones(1, 2))
    handle.remove()
    return result.detach(), outputs[0].detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    half = nnx.initializers.constant(0.5)
    setting = {"kernel_init": half, "bias_init": half, "rngs": nnx.Rngs(0)}
    model = nnx.Sequential(nnx.Linear(2, 3, **setting), nnx.relu, nnx.Linear(3, 1, **setting))
    forward = nnx.capture(model, nnx.Intermediate, method_outputs=nnx.Intermediate)
    result, outputs = forward(jnp.ones((1, 2)))
    return result, outputs["layers"][0]["__call__"][0]
