"""``from_jax``: a draft's weights from those of the JAX model."""

import numpy as np
import torch
from torch import nn

RENAMED = {"kernel": "weight", "scale": "weight", "embedding": "weight", "if": "if_"}


def from_jax(model: nn.Module, weights) -> nn.Module:
    """Give a model the weights of the JAX model.

    `weights` are nested dictionaries, as those of `nnx.to_pure_dict(nnx.state(model))` or of
    linen's `init`, or a module of Equinox.
    """

    def parts(node):
        if isinstance(node, list | tuple):
            return {str(i): part for i, part in enumerate(node)}
        node = node if hasattr(node, "items") else vars(node)
        return {str(name): part for name, part in node.items()}

    names = {"kernel": "weight", "scale": "weight", "embedding": "weight", "if": "if_"}
    missing = {id(p): name for name, p in model.named_parameters()}

    def copy(layer, own):
        layer = layer.conv if "kernel" in own and hasattr(layer, "conv") else layer
        for name, value in own.items():
            target = getattr(layer, name, getattr(layer, names.get(name, name), None))
            base, _, i = name.rpartition("_")
            if target is None and i.isdigit() and hasattr(layer, base):  # of linen's list
                target = getattr(layer, base)[int(i)]
            if isinstance(target, nn.Module):
                inside = parts(value)
                in_list = isinstance(target, nn.Sequential) and "layers" in inside
                copy(target, parts(inside["layers"]) if in_list else inside)
            elif isinstance(target, torch.Tensor):
                value = torch.tensor(np.asarray(value))
                if name == "kernel" and isinstance(layer, nn.Linear):
                    value = value.reshape(layer.in_features, -1).T
                elif name == "kernel":
                    value = value.movedim((-1, -2), (0, 1))
                    if layer.transposed:
                        value = value.transpose(0, 1).flip(*range(2, value.ndim))
                target.copy_(value.reshape(target.shape))
                missing.pop(id(target), None)

    collections = parts(weights)
    with torch.no_grad():
        for name in collections.keys() & {"params", "batch_stats"}:
            copy(model, parts(collections[name]))
        copy(model, collections)
    if missing:
        raise ValueError(f"there are no weights for {', '.join(missing.values())}")
    return model
