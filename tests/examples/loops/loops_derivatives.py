"""Several steps of a loop, and their derivative by the chain rule."""

import numpy as np

X = np.linspace(0.25, 1.5, 3, dtype=np.float32)
NUM_STEPS = 5


def slopes(x) -> np.ndarray:
    """The derivative of ``NUM_STEPS`` steps, by the chain rule: each step keeps nine tenths."""
    return np.full_like(x, 0.9**NUM_STEPS)


def cosine_slopes(x) -> np.ndarray:
    """The derivative of the cosine taken ``NUM_STEPS`` times, by the chain rule."""
    state, slope = np.asarray(x, np.float64), 1.0
    for _ in range(NUM_STEPS):
        slope = slope * -np.sin(state)
        state = np.cos(state)
    return slope


def total_cosines(torch, step):
    """A scan with PyTorch's private prototype: the last state of ``step``, taken five times."""

    def body(state, _):
        state = step(state)
        return state, state.clone()

    return lambda x: torch._higher_order_ops.scan(body, x, torch.arange(NUM_STEPS))[0]
