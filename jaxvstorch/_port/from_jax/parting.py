"""Where indexing in PyTorch parts from JAX's on the same values, however it is written."""

from typing import Any

import numpy as np

OUTSIDE = "an index is out of range: JAX clips, fills or drops it, and PyTorch raises"
TWICE = "a place comes twice: JAX takes each into account, and an assignment in PyTorch one"


def parts(name: str, params: Any, inputs: list[Any]) -> str:
    """What of an operation's places PyTorch's ``x[i]`` takes otherwise; "" if nothing.

    Args:
        name: of the operation.
        params: its own.
        inputs: its values in JAX.
    """
    if name != "gather" and not name.startswith("scatter"):
        return ""
    numbers, shape = params["dimension_numbers"], np.shape(inputs[0])
    if name == "gather":
        axes, sizes = numbers.start_index_map, params["slice_sizes"]
    else:
        axes, gone = numbers.scatter_dims_to_operand_dims, numbers.inserted_window_dims
        gone = (*gone, *numbers.operand_batching_dims)
        window = iter(np.shape(inputs[2])[axis] for axis in numbers.update_window_dims)
        sizes = [1 if axis in gone else next(window) for axis in range(len(shape))]
    if not axes:
        return ""
    starts = np.asarray(inputs[1]).astype(np.int64).reshape(-1, len(axes))
    ends = np.array([shape[axis] - sizes[axis] for axis in axes])
    if ((starts < 0) | (starts > ends)).any():
        return OUTSIDE
    twice = name not in ("gather", "scatter") and len(np.unique(starts, axis=0)) < len(starts)
    return TWICE if twice and not numbers.operand_batching_dims else ""
