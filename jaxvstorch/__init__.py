"""JAX and PyTorch side by side: the same functions, run, tested and timed in both.

Importing this package imports neither framework; each is imported when a function that needs it
is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxvstorch._errors import expect_error as expect_error
    from jaxvstorch._explain.explain import explain as explain
    from jaxvstorch._explain.ledger import call as call
    from jaxvstorch._explain.ledger import ledger as ledger
    from jaxvstorch._frameworks.importing import BrokenInstallError as BrokenInstallError
    from jaxvstorch._frameworks.importing import MissingFrameworkError as MissingFrameworkError
    from jaxvstorch._measure import first_call as first_call
    from jaxvstorch._measure import new_shape as new_shape
    from jaxvstorch._measure import steady as steady
    from jaxvstorch._pairs.registry import example as example
    from jaxvstorch._parity import check_parity as check_parity
    from jaxvstorch._port.api import port as port
    from jaxvstorch._port.api import replaying as replaying

__version__ = "0.1.0"

_PUBLIC = {
    "BrokenInstallError": "jaxvstorch._frameworks.importing",
    "MissingFrameworkError": "jaxvstorch._frameworks.importing",
    "call": "jaxvstorch._explain.ledger",
    "check_parity": "jaxvstorch._parity",
    "example": "jaxvstorch._pairs.registry",
    "expect_error": "jaxvstorch._errors",
    "explain": "jaxvstorch._explain.explain",
    "first_call": "jaxvstorch._measure",
    "ledger": "jaxvstorch._explain.ledger",
    "new_shape": "jaxvstorch._measure",
    "port": "jaxvstorch._port.api",
    "replaying": "jaxvstorch._port.api",
    "steady": "jaxvstorch._measure",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxvstorch' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
