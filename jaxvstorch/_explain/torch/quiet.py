"""Keeps Dynamo from printing of a graph break what becomes a finding."""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from unittest import mock

from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private


@contextmanager
def quiet() -> Iterator[None]:
    """Neither warn of a graph break nor print, once in a process, what to do about ``.item()``.

    The reader's own first call prints it still.
    """
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module=r"torch\._dynamo")
        with suppress(MissingNameError):
            patched = mock.patch.object(private.TensorVariable, _PRINTS, staticmethod(_nothing))
            with suppress(AttributeError):  # this version has no such method
                stack.enter_context(patched)
        yield


_PRINTS = "_warn_capture_scalar_outputs"


def _nothing() -> None:
    pass
