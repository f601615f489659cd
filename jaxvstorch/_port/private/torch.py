"""What of PyTorch's own a replay needs that no public name gives."""

from typing import Any

from jaxvstorch._frameworks import private
from jaxvstorch._frameworks.private import Name

NAMES = {
    "DisableTorchFunction": Name("torch._C:DisableTorchFunction", "port replays nothing"),
    "hooks_with_kwargs": Name(
        "torch.nn.modules.module:_global_forward_hooks_with_kwargs", "port replays nothing"
    ),
    "disable_current_modes": Name(
        "torch.utils._python_dispatch:_disable_current_modes", "port replays nothing"
    ),
}


def __getattr__(name: str) -> Any:
    return private.taken(NAMES, name)


def gone() -> dict[str, str]:
    """The names that this version of PyTorch lacks, each with what happens without it."""
    return private.gone(NAMES)
