"""The few things that the instruments do differently for each framework.

One module per framework, with the same functions in both. The examples do not use them.
"""

import importlib
import importlib.util
from types import ModuleType

from jaxvstorch._frameworks.importing import MissingFrameworkError, importing

FRAMEWORKS = ("jax", "torch")
TITLES = {"jax": "JAX", "torch": "PyTorch"}
COMPILERS = {"jax": "jax.jit", "torch": "torch.compile"}
SYNCHRONOUS = ", synchronous"  # what JAX's mode ends in where calls on a CPU hand nothing over
# By framework and mode: how a function can be called, and what a table calls that.
MODES = {
    ("numpy", "eager"): "NumPy",
    ("jax", "eager"): "JAX eager",
    ("jax", "compiled"): "jax.jit",
    ("jax", f"compiled{SYNCHRONOUS}"): f"jax.jit{SYNCHRONOUS}",
    ("torch", "eager"): "PyTorch eager",
    ("torch", "compiled"): "torch.compile",
}

_NVIDIA = "for an NVIDIA GPU `'jaxvstorch[cuda13]'`, with an older driver `'jaxvstorch[cuda12]'`"
_ACCELERATORS = {"jax": f"{_NVIDIA}, for a TPU `'jaxvstorch[tpu]'`", "torch": _NVIDIA}


def require(framework: str, wanted_by: str) -> None:
    """Check that a framework is installed, without importing it.

    Args:
        framework: ``"jax"`` or ``"torch"``.
        wanted_by: what needs it, for the message.

    Raises:
        ValueError: it is neither of the two.
        MissingFrameworkError: it is not installed; the message says how to install it.
    """
    if framework not in FRAMEWORKS:
        raise ValueError(f"framework must be 'jax' or 'torch', not {framework!r}")
    if importlib.util.find_spec(framework) is None:
        raise MissingFrameworkError(
            f"{wanted_by} needs {TITLES[framework]}, which is not installed. "
            f"Install it with `pip install jaxvstorch`; {_ACCELERATORS[framework]}.",
            name=framework,
        )


def adapter(framework: str) -> ModuleType:
    """The module of this package for ``framework``, imported now.

    Raises:
        MissingFrameworkError: the framework is not installed.
        BrokenInstallError: importing it fails.
    """
    return imported(f"jaxvstorch._frameworks.{framework}", framework)


def imported(module: str, framework: str) -> ModuleType:
    """A module of this package that imports a framework, imported now.

    Raises:
        MissingFrameworkError: the framework is not installed.
        BrokenInstallError: importing it fails.
    """
    require(framework, wanted_by=module)
    with importing(module):
        return importlib.import_module(module)
