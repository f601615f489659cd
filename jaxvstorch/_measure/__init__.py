"""One clock for both frameworks: warm calls, the first call, and a call with a new shape.

The three are different numbers and are never mixed. Each waits for the result inside what is
timed: JAX returns before its work is done, and so does PyTorch on a GPU.
"""

from jaxvstorch._measure.first_calls import first_call, new_shape
from jaxvstorch._measure.fresh import fresh_calls
from jaxvstorch._measure.later_calls import Steady, steady

__all__ = ["Steady", "first_call", "fresh_calls", "new_shape", "steady"]
