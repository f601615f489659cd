"""The function in PyTorch for each operation of a jaxpr.

It takes the operation's parameters, and then its arrays; it returns one array or several.
"""

from jaxvstorch._port.from_jax import decomposing, elementwise, reducing, shaping, windows
from jaxvstorch._port.from_jax.contracting import (
    conv_general_dilated,
    dot_general,
    ragged_dot_general,
)
from jaxvstorch._port.from_jax.elementwise import SAME, Operation
from jaxvstorch._port.from_jax.indexing import (
    dynamic_slice,
    dynamic_update_slice,
    gather,
    scatter,
    scatter_add,
    scatter_by,
)

_WITH_PARAMETERS: dict[str, Operation] = {
    **elementwise.WITH_PARAMETERS,
    **shaping.WITH_PARAMETERS,
    **reducing.WITH_PARAMETERS,
    **windows.WITH_PARAMETERS,
    **decomposing.WITH_PARAMETERS,
    "conv_general_dilated": conv_general_dilated,
    "dot_general": dot_general,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "gather": gather,
    "ragged_dot_general": ragged_dot_general,
    "scatter": scatter,
    "scatter-add": scatter_add,
    "scatter-max": scatter_by("amax"),
    "scatter-min": scatter_by("amin"),
    "scatter-mul": scatter_by("prod"),
}


def operation(name: str) -> Operation | None:
    """The function in PyTorch for an operation, if there is one."""
    if (same := SAME.get(name)) is not None:
        return lambda params, *arrays: same(*arrays)
    return _WITH_PARAMETERS.get(name)
