"""A choice that depends on a value: decided in Python, by the compiled program, or element-wise."""

from jaxvstorch.examples import lazy_halves

__getattr__ = lazy_halves(__name__)
