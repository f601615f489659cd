"""Settings of the frameworks that a ``with`` statement makes for one thread only."""

import sys
from typing import Any


def thread_settings() -> dict[str, Any]:
    """Settings that a ``with`` statement makes for one thread only."""
    settings = {}
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        settings["torch.is_grad_enabled()"] = torch.is_grad_enabled()
        settings["torch.is_inference_mode_enabled()"] = torch.is_inference_mode_enabled()
    if "jax" in sys.modules:
        config = sys.modules["jax"].config
        for name in ("jax_enable_x64", "jax_disable_jit", "jax_default_matmul_precision"):
            settings[name] = getattr(config, name)
    return settings


def require_same_settings(outside: dict[str, Any]) -> None:
    """Check in a fresh thread that no setting made outside was lost.

    Raises:
        RuntimeError: a setting differs here.
    """
    inside = thread_settings()
    for name, value in outside.items():
        if inside[name] != value:
            raise RuntimeError(
                f"{name} is {value} here and {inside[name]} in the thread that times the function: "
                "a `with` statement sets it for one thread only. Put the `with` inside the "
                "function to time, or change the setting for the whole process."
            )
