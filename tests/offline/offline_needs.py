"""What several tests of the command for a machine without a network need."""

from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools"


def both_frameworks() -> None:
    for name in ("jax", "torch"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: nothing else is looked at")
