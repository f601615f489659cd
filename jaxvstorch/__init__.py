"""JAX and PyTorch side by side: the same functions, run, tested and timed in both.

Importing this package imports neither framework; each is imported when a function that needs it
is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxvstorch.errors import BrokenInstallError as BrokenInstallError
    from jaxvstorch.errors import MissingFrameworkError as MissingFrameworkError
    from jaxvstorch.errors import expect_error as expect_error
    from jaxvstorch.explainer.explain import explain as explain
    from jaxvstorch.explainer.ledger import call as call
    from jaxvstorch.explainer.ledger import ledger as ledger
    from jaxvstorch.measure import first_call as first_call
    from jaxvstorch.measure import new_shape as new_shape
    from jaxvstorch.measure import steady as steady
    from jaxvstorch.parity import check_parity as check_parity
    from jaxvstorch.porter.api import port as port
    from jaxvstorch.porter.api import replaying as replaying
    from jaxvstorch.registry import example as example

__version__ = "0.1.0"

_PUBLIC = {
    "BrokenInstallError": "jaxvstorch.errors",
    "MissingFrameworkError": "jaxvstorch.errors",
    "call": "jaxvstorch.explainer.ledger",
    "check_parity": "jaxvstorch.parity",
    "example": "jaxvstorch.registry",
    "expect_error": "jaxvstorch.errors",
    "explain": "jaxvstorch.explainer.explain",
    "first_call": "jaxvstorch.measure",
    "ledger": "jaxvstorch.explainer.ledger",
    "new_shape": "jaxvstorch.measure",
    "port": "jaxvstorch.porter.api",
    "replaying": "jaxvstorch.porter.api",
    "steady": "jaxvstorch.measure",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxvstorch' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
