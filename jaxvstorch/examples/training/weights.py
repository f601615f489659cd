"""The same weights under the names of ``torch_module.py``, and back; NumPy arrays."""

from typing import Any

import numpy as np

from jaxvstorch.examples.training.config import Params

Array = np.ndarray[Any, Any]
NAMES = ("attention_norm", "down", "mlp_norm", "out", "qkv", "up")  # of what a block has


def to_state(params: Params) -> dict[str, Array]:
    """What ``GPT.load_state_dict`` takes: a linear layer keeps its matrix transposed."""
    state = {
        "tokens.weight": params["embedding"]["tokens"],
        "positions.weight": params["embedding"]["positions"],
        "norm.weight": params["final"]["norm"],
    }
    width = len(params["final"]["norm"])
    for name in NAMES:
        for i, x in enumerate(params["blocks"][name]):
            if name in ("qkv", "up"):
                x = x.reshape(width, -1).T
            elif name in ("out", "down"):
                x = x.reshape(-1, width).T
            state[f"blocks.{i}.{name}.weight"] = np.ascontiguousarray(x)
    return state


def to_params(state: dict[str, Array], heads: int) -> Params:
    """The tree of a ``state_dict``; how many heads there are does not stand in it."""
    width = len(state["norm.weight"])
    d, layers = width // heads, sum(name.endswith(".qkv.weight") for name in state)
    shapes = {"qkv": (width, 3, heads, d), "out": (heads, d, width)}
    blocks = {}
    for name in NAMES:
        each = [state[f"blocks.{i}.{name}.weight"].T for i in range(layers)]
        blocks[name] = np.stack([x.reshape(shapes.get(name, x.shape)) for x in each])
    return {
        "blocks": blocks,
        "embedding": {"positions": state["positions.weight"], "tokens": state["tokens.weight"]},
        "final": {"norm": state["norm.weight"]},
    }
