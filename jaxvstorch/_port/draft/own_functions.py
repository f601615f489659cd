"""What a draft saves, loads and evaluates with; it gets the source of each function it needs."""

from pathlib import Path

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp
from flax import nnx


@nnx.jit
def jitted_call(model, *inputs):
    """``model(x)`` under ``torch.no_grad()``, compiled."""
    return model(*inputs)


def state_dict(module):
    """``state_dict()``: weights and buffers, or an optimizer's state, as dictionaries of arrays."""
    return nnx.to_pure_dict(nnx.state(module, nnx.Not(nnx.RngState)))


def load_state_dict(module, values):
    """``load_state_dict``: set weights and buffers, or an optimizer's state, to what was saved."""
    state = nnx.state(module, nnx.Not(nnx.RngState))
    nnx.replace_by_pure_dict(state, jax.tree.map(jnp.asarray, values))
    nnx.update(module, state)


def save_arrays(values, path):
    """``torch.save``: write dictionaries of arrays, numbers and texts into a folder, anew.

    Its name ends with ``.orbax``: a file that PyTorch wrote stays.
    """
    with ocp.PyTreeCheckpointer() as checkpointer:
        folder = Path(f"{path}.orbax").absolute()
        checkpointer.save(folder, jax.device_get(values), force=True)


def load_arrays(path):
    """``torch.load``: read what ``save_arrays`` wrote; ``from_torch`` is for PyTorch's weights."""
    folder = Path(f"{path}.orbax").absolute()
    if not folder.exists() and Path(path).is_file():
        hint = "read a file of PyTorch with torch.load, and copy its weights with from_torch"
        raise ValueError(f"{path} is not of save_arrays: {hint}")
    with ocp.PyTreeCheckpointer() as checkpointer:
        return checkpointer.restore(folder)
