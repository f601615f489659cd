"""A pytree in an orbax folder, complete or absent."""

from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint as ocp


def save_tree(folder: Path, tree: Any) -> None:
    """Write a tree into a new folder, and wait for it."""
    with ocp.StandardCheckpointer() as checkpointer:  # its end waits, and closes the threads
        checkpointer.save(folder.absolute(), tree)


def load_tree(folder: Path, like: Any) -> Any:
    """Read a tree of ``like``'s structure, shapes, dtypes and shardings.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: the structure or a shape is another; a dtype is not compared but converted.
    """
    wanted = jax.tree.map(ocp.utils.to_shape_dtype_struct, like)
    with ocp.StandardCheckpointer() as checkpointer:
        return checkpointer.restore(folder.absolute(), wanted)
