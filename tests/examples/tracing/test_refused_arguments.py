"""Shapes and dtypes that are refused."""

import logging

import numpy as np
import pytest


def test_shapes_that_do_not_fit_are_refused_while_tracing(in_jax) -> None:
    a, b = np.ones((2, 2), np.float32), np.ones((3, 3), np.float32)
    with pytest.raises(TypeError, match="contracting dimensions to have the same shape"):
        in_jax.jit(in_jax.examples.matmul)(a, b)
    with pytest.raises(TypeError, match="non-array argument"):
        in_jax.jit(in_jax.examples.sin_cos)("text")


def test_shapes_that_do_not_fit_are_refused_by_torch(in_torch) -> None:
    t = in_torch
    a, b = t.torch.ones(2, 2), t.torch.ones(3, 3)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        t.examples.matmul(a, b)
    logging.disable(logging.CRITICAL)  # it also logs the whole stack as an error
    try:
        with pytest.raises(t.torch._dynamo.exc.TorchRuntimeError, match="same reduction dim"):
            t.graph(t.examples.matmul)(a, b)
    finally:
        logging.disable(logging.NOTSET)


def test_jax_promotes_dtypes_that_torch_refuses(in_jax, in_torch) -> None:
    single, half = np.ones((2, 2), np.float32), np.ones((2, 2), np.float16)
    assert in_jax.jit(in_jax.examples.matmul)(single, half).dtype == np.float32
    with pytest.raises(RuntimeError, match="same dtype"):
        in_torch.examples.matmul(*map(in_torch.torch.from_numpy, (single, half)))
