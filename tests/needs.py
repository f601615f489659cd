"""Marks that several test modules share."""

import os

import pytest

from jaxvstorch._doctor import compiler

needs_compiler = pytest.mark.skipif(
    compiler.find(os.environ) is None,
    reason="torch.compile's CPU backend needs a C++ compiler, and there is none on the PATH",
)
