"""As much of gymnasium as a program asks for: episodes of eight steps in a world of noise."""

from types import SimpleNamespace
from typing import Any

import numpy as np


class _World:
    spec = SimpleNamespace(reward_threshold=9.85)

    def reset(self, seed: int = 0) -> tuple[np.ndarray, dict[str, Any]]:
        self.numbers = np.random.default_rng(seed)
        self.steps = 0
        return self.numbers.random(4), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return self.numbers.random(4) - action, 1.0, self.steps == 8, False, {}


def make(*_: Any, **__: Any) -> _World:
    """A world, whatever its name."""
    return _World()
