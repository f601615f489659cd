"""One small GPT with its first weights, and batches, for the tests of this topic."""

from typing import Any

import numpy as np

from jaxvstorch.examples.training import text
from jaxvstorch.examples.training.inputs import SMALL
from jaxvstorch.examples.training.weights import to_state


def numbers(dtype: type = np.float32, rows: int = 3) -> tuple[Any, Any, Any]:
    """Weights, tokens and targets."""
    rng = np.random.default_rng(0)
    tokens, targets = rng.integers(0, SMALL.vocabulary, (2, rows, 6)).astype(np.int32)
    return SMALL.init(rng, dtype), tokens, targets


def lesson(steps: int) -> tuple[Any, list[tuple[Any, Any]]]:
    """First weights of the GPT that learns sums, and its first batches."""
    rng = np.random.default_rng(0)
    tokens = text.to_tokens(text.sums(2000, rng))
    return text.CONFIG.init(rng), list(text.batches(tokens, steps, rng))


def tensors(torch: Any, tree: Any) -> Any:
    """The same tree of PyTorch's own arrays."""
    if isinstance(tree, dict):
        return {name: tensors(torch, value) for name, value in tree.items()}
    return torch.tensor(tree)


def module(torch: Any, params: Any, config: Any = SMALL) -> Any:
    """The module with these weights."""
    from jaxvstorch.examples.training.torch_module import GPT

    model = GPT(config)
    model.to(tensors(torch, params["final"]["norm"]).dtype)
    model.load_state_dict(tensors(torch, to_state(params)))
    return model
