"""What several tests of static arguments are called with."""

import numpy as np

X = np.linspace(0.5, 2, 3, dtype=np.float32)
OFFSET = np.float32(0.5)


def calls_with(x, activations):
    return [(x, x, activation) for activation in activations]
