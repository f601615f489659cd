"""The fixtures that pytest finds where jaxvstorch is installed. They import no framework."""

import logging
from collections.abc import Callable

import pytest

from jaxvstorch import testing


@pytest.fixture
def compiles() -> testing.Compiles:
    """Assert what jax.jit or torch.compile makes of a function: one program, no break, once."""
    return testing.Compiles()


@pytest.fixture
def same_function() -> Callable[..., object]:
    """Assert that a JAX function and a PyTorch function are the same, with check_parity."""
    return testing.same_function


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let a test that asks for ``compiles`` fail without PyTorch's log of its own compiler.

    pytest would print hundreds of lines of it below each failure.
    """
    if "compiles" in getattr(item, "fixturenames", ()):
        from jaxvstorch._frameworks.private import torch as private

        trace = logging.getLogger(private.TRACE_LOG)
        for handler in [
            each for each in trace.handlers if type(each).__module__ == "_pytest.logging"
        ]:
            trace.removeHandler(handler)
