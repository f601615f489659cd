"""The bytes that a function moves: eager, under Inductor, and at the least."""

import logging
from collections.abc import Callable
from typing import Any

import jax
import torch
from torch._inductor import config, metrics

Function = Callable[..., Any]


def eager_bytes(function: Function, *arguments: Any) -> int:
    """What the operations of a function's jaxpr read and write, each of them alone."""
    equations = jax.make_jaxpr(function)(*arguments).eqns
    avals = [v.aval for equation in equations for v in (*equation.invars, *equation.outvars)]
    return sum(aval.size * aval.dtype.itemsize for aval in avals if aval.shape)


def inductor_bytes(function: Function, *arguments: Any) -> int:
    """What Inductor counts for the kernels that it makes of a function."""
    log = logging.getLogger("torch._inductor.compile_fx.__inductor_metrics")
    log.propagate = False
    log.setLevel(logging.INFO)  # it counts only where it would log
    metrics.reset()
    torch.compiler.reset()
    with config.patch(fx_graph_cache=False):
        torch.compile(function)(*arguments)
    log.setLevel(logging.NOTSET)
    return int(metrics.num_bytes_accessed)


def must_move(function: Function, *arguments: Any) -> int:
    """The bytes of a function's arguments and results, arrays of JAX."""
    leaves = jax.tree.leaves((arguments, function(*arguments)))
    return sum(array.nbytes for array in leaves)
