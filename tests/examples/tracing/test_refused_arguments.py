"""Shapes and dtypes that are refused."""

import logging

import numpy as np
import pytest


def test_shapes_that_do_not_fit_are_refused_while_tracing(jax, in_jax) -> None:
    a, b = np.ones((2, 2), np.float32), np.ones((3, 3), np.float32)
    with pytest.raises(TypeError, match="contracting dimensions to have the same shape"):
        jax.jit(in_jax.matmul)(a, b)
    with pytest.raises(TypeError, match="non-array argument"):
        jax.jit(in_jax.sin_cos)("text")


def test_shapes_that_do_not_fit_are_refused_by_torch(torch, in_torch) -> None:
    a, b = torch.ones(2, 2), torch.ones(3, 3)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        in_torch.matmul(a, b)
    logging.disable(logging.CRITICAL)  # it also logs the whole stack as an error
    try:
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="same reduction dim"):
            torch.compile(in_torch.matmul, backend="eager")(a, b)
    finally:
        logging.disable(logging.NOTSET)


def test_jax_promotes_dtypes_that_torch_refuses(jax, in_jax, torch, in_torch) -> None:
    single, half = np.ones((2, 2), np.float32), np.ones((2, 2), np.float16)
    assert jax.jit(in_jax.matmul)(single, half).dtype == np.float32
    with pytest.raises(RuntimeError, match="same dtype"):
        in_torch.matmul(*map(torch.from_numpy, (single, half)))
