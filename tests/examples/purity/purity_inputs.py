"""What the tests of purity call functions with."""

import numpy as np

X = np.arange(4, dtype=np.float32)
