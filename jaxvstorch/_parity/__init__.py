"""Are a JAX function and a PyTorch function the same function?"""

from jaxvstorch._parity.checking import check_parity
from jaxvstorch._parity.parity import Parity

__all__ = ["Parity", "check_parity"]
