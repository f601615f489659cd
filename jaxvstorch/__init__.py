"""JAX and PyTorch side by side: the same functions, run, tested and timed in both.

Importing this package imports neither framework; each is imported when a function that needs it
is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxvstorch.errors import MissingFrameworkError as MissingFrameworkError
    from jaxvstorch.errors import expect_error as expect_error
    from jaxvstorch.explain.calls import ledger as ledger
    from jaxvstorch.parity import check_parity as check_parity

__version__ = "0.1.0"

_PUBLIC = {
    "MissingFrameworkError": "jaxvstorch.errors",
    "check_parity": "jaxvstorch.parity",
    "expect_error": "jaxvstorch.errors",
    "ledger": "jaxvstorch.explain.calls",
}

__all__ = ["MissingFrameworkError", "__version__", "check_parity", "expect_error", "ledger"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxvstorch' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
