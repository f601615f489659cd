"""The network's weights as NumPy arrays, by the names and in the layouts of PyTorch."""

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Weights = dict[str, Array]
Shapes = Mapping[str, tuple[int, ...]]

CHANNELS, FILTERS, SIDE, HIDDEN, CLASSES = 2, 3, 4, 8, 3
RATE = 0.5  # of the dropout
PARAMETERS: Shapes = {
    "conv.weight": (FILTERS, CHANNELS, 3, 3),
    "conv.bias": (FILTERS,),
    "norm.weight": (FILTERS,),
    "norm.bias": (FILTERS,),
    "dense.weight": (HIDDEN, FILTERS * SIDE * SIDE),
    "dense.bias": (HIDDEN,),
    "layer_norm.weight": (HIDDEN,),
    "layer_norm.bias": (HIDDEN,),
    "head.weight": (CLASSES, HIDDEN),
    "head.bias": (CLASSES,),
}
STATISTICS: Shapes = {"norm.running_mean": (FILTERS,), "norm.running_var": (FILTERS,)}
SHAPES: Shapes = {**PARAMETERS, **STATISTICS}


class WeightsError(ValueError):
    """Weights do not fit a network."""


def check(weights: Mapping[str, Any]) -> None:
    """Compare names and shapes with the network's.

    Raises:
        WeightsError: they differ. It names everything that is missing, unexpected, or of another
            shape, not the first thing alone.
    """
    lines = [f"missing: {name}" for name in SHAPES if name not in weights]
    lines += [f"unexpected: {name}" for name in weights if name not in SHAPES]
    for name, wanted in SHAPES.items():
        if name in weights and (shape := tuple(np.shape(weights[name]))) != wanted:
            lines.append(f"wrong shape: {name} is {shape}, and must be {wanted}")
    if lines:
        raise WeightsError("the weights do not fit the network\n  " + "\n  ".join(lines))


def make(seed: int = 0, dtype: Any = np.float32) -> Weights:
    """Random weights and running statistics; nothing is at its default."""
    rng = np.random.default_rng(seed)
    made = {name: 0.4 * rng.standard_normal(shape) for name, shape in SHAPES.items()}
    made["norm.running_var"] = rng.uniform(0.5, 2, FILTERS)
    return {name: array.astype(dtype) for name, array in made.items()}
