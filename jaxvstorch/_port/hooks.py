"""Hooks on all modules, which leave nothing behind."""

from torch.utils.hooks import RemovableHandle

from jaxvstorch._frameworks.private import torch as private


def remove(hook: RemovableHandle) -> None:
    """Remove a hook, and what PyTorch keeps of one with keywords: torch.compile warns of it."""
    hook.remove()
    private.hooks_with_kwargs.pop(hook.id, None)
