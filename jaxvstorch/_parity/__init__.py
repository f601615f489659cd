"""Are a JAX function and a PyTorch function the same function?"""

from jaxvstorch._parity.checking import Parity, check_parity

__all__ = ["Parity", "check_parity"]
