"""Copies PyTorch's weights into a module of a draft; a draft gets the source of this function."""

import jax
import jax.numpy as jnp
from flax import nnx

from jaxvstorch._port.draft.own_layers import Buffer

# PyTorch's name for each array of a layer of flax's.
TORCH_NAMES = {
    "kernel": "weight", "embedding": "weight", "scale": "weight",
    "mean": "running_mean", "var": "running_var",
}  # fmt: skip


def from_torch(module, state_dict, prefix=""):
    """Copy the weights of a PyTorch module into this file's module of the same name.

    Args:
        module: of this file; returned, with the weights.
        state_dict: of the PyTorch module.
        prefix: of the names in it.
    """
    if isinstance(module, nnx.Sequential):  # its layers can have names in PyTorch
        inside = [key.removeprefix(prefix) for key in state_dict if key.startswith(prefix)]
        names = [key.partition(".")[0] for key in inside]
        layers = [layer for layer in module.layers if _has_weights(layer)]
        for name, layer in zip(dict.fromkeys(names), layers, strict=True):
            from_torch(layer, state_dict, f"{prefix}{name}.")
        return module
    for name, value in list(vars(module).items()):
        if isinstance(value, nnx.Param | nnx.BatchStat | Buffer):
            torch_name = name if prefix + name in state_dict else TORCH_NAMES.get(name, name)
            weight = state_dict[prefix + torch_name]
            weight = weight.cpu().numpy() if hasattr(weight, "cpu") else weight
            array = jnp.array(weight, value.dtype)  # a copy: PyTorch writes into its own
            if isinstance(module, nnx.Linear | nnx.Conv) and name == "kernel":
                array = jnp.moveaxis(array, (0, 1), (-1, -2))  # from (out, in, ...)
            value[...] = array
        elif isinstance(value, nnx.Module):
            inner = f"{prefix}{name}."
            if any(key.startswith(inner) for key in state_dict):
                from_torch(value, state_dict, inner)
    return module


def _has_weights(layer):
    kinds = nnx.Any(nnx.Param, nnx.BatchStat, Buffer)
    return isinstance(layer, nnx.Module) and bool(jax.tree.leaves(nnx.state(layer, kinds)))
