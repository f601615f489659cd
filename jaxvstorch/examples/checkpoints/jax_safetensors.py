"""A tree of arrays in a safetensors file, which either framework can read."""

from pathlib import Path
from typing import Any

from safetensors.flax import load_file, save

from jaxvstorch.examples.checkpoints.files import require_whole, write_whole
from jaxvstorch.examples.checkpoints.names import filled, flat, require_fit


def save_params(path: Path, params: Any) -> Path:
    """Write a tree of arrays under dotted names: the file is complete or absent."""
    return write_whole(path, lambda file: file.write(save(flat(params))))


def load_params(path: Path, like: Any) -> Any:
    """Read a tree of ``like``'s structure.

    Raises:
        IncompleteCheckpointError: the file is not the one that was written.
        MismatchError: names, shapes or dtypes are not those of ``like``.
    """
    require_whole(path)
    named = load_file(path)
    require_fit(named, flat(like))
    return filled(like, named)
