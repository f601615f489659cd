"""Modules in training: their results, what they keep from a step, and their first weights."""

import ast
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import error_text, result_text
from jaxvstorch._port.map.running.modules import in_jax, variable_of
from jaxvstorch._port.map.running.namespace import Weights, namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, leaves, to_jax
from tools.check_map.draws import distribution_differences

# Sizes of a module, and what they are taken times so that its weights are enough for a test.
_SIZES = frozenset({
    "embedding_dim", "in_channels", "in_features", "num_embeddings", "num_features",
    "out_channels", "out_features",
})  # fmt: skip
_TIMES = 24


def training_differences(row: Row, module: Any, calls: tuple[Call, Call]) -> list[Difference]:
    """How a step in training differs: what it returns, and what the module keeps."""
    before = _state(module)
    module.train()
    try:
        ours = Call(module, calls[1].args, calls[1].kwargs)()
    except Exception:  # of one example, batch norm has no variance
        return []
    after = _state(module)
    made: list[Any] = []
    text = row.expression or ""
    try:
        theirs = in_jax(row, text, before, calls, training=True, made=made)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    except Exception as error:
        kind = "0-d" if without_axes(calls[1]) else "only JAX raises"
        return [Difference(kind, result_text(ours), error_text(error))]
    if _draws(module):
        pairs = zip(leaves(ours), leaves(theirs), strict=True)  # a recurrent network gives several
        differences = [d for pair in pairs for d in distribution_differences(*pair)][:1]
    else:
        differences = compare(ours, theirs, wide=False)
    return [*differences, *_kept(row, made, before, after)]


def _state(module: Any) -> Weights:
    return Weights({name: to_jax(value.clone()) for name, value in module.state_dict().items()})


def _draws(module: Any) -> bool:
    return any("Dropout" in type(part).__name__ or getattr(part, "dropout", 0)
               for part in module.modules())  # fmt: skip


def _kept(row: Row, made: list[Any], before: Weights, after: Weights) -> list[Difference]:
    """How the buffers differ after the step, if PyTorch's step changed any."""
    changed = [name for name, value in vars(after).items()
               if not np.array_equal(value, vars(before)[name]) and np.ndim(value)]  # fmt: skip
    if not changed:
        return []
    if not made:
        return [Difference("buffers", f"new {', '.join(changed)}", "only the result")]
    expected = _in_flax(row, after)
    pairs = [(path, value, variable_of(made[0], path)[...]) for path, value in expected.items()
             if value is not None]  # fmt: skip
    return [
        Difference("buffers", f"{path} {d.torch}", f"{path} {d.jax}")
        for path, value, now in pairs
        for d in compare(value, now, wide=False)[:1]
    ][:1]


def _in_flax(row: Row, state: Weights) -> Mapping[str, Any]:
    """PyTorch's weights by the paths and in the layout of the flax module."""
    values: Mapping[str, Any] = eval(row.option("weights") or "{}", namespace() | {"w": state})
    return values


def initial_differences(row: Row, made: Call, begins: str = "{}") -> list[Difference] | None:
    """How the weights of a new module are distributed otherwise; None where it has none.

    Args:
        row: of the module.
        made: how it is made.
        begins: further arguments of the flax module.
    """
    large = enlarged(row, made)
    torch.manual_seed(0)
    module = large.function(*large.args, **large.kwargs)
    expected = {path: value for path, value in _in_flax(row, _state(module)).items()
                if value is not None and np.size(value) > 1}  # fmt: skip
    if not expected:
        return None
    args, kwargs = jax_arguments(row, large)
    scope = namespace() | {"input": jnp.ones(1)}
    flax = eval(f"lambda {row.made}: ({_flax_module(row)[:-1]}, **{begins}))", scope)(
        *args, **kwargs
    )
    differences = []
    for path, value in expected.items():
        now = variable_of(flax, path)[...]
        if any(d.kind == "distribution" for d in distribution_differences(value, now)):
            differences.append(
                Difference("initial weights", *(_told(path, x) for x in (value, now)))
            )
    return differences[:1]


def _told(path: str, value: Any) -> str:
    """Where a weight's numbers lie."""
    x = np.asarray(value)
    return f"{path} of mean {x.mean():.2g}, deviation {x.std():.2g}, {x.min():.2g} to {x.max():.2g}"


def _flax_module(row: Row) -> str:
    """The part of the expression that makes a flax module."""
    calls = [node for node in ast.walk(ast.parse(row.expression or ""))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]  # fmt: skip
    texts = [ast.unparse(node) for node in calls if ast.unparse(node.func).startswith("nnx.")]
    return texts[0]


def enlarged(row: Row, call: Call) -> Call:
    """The module, made large enough for a test to compare its weights."""
    args = [x * _TIMES if name in _SIZES and isinstance(x, int) else x
            for name, x in zip(row.taken(), call.args, strict=False)]  # fmt: skip
    kwargs = {name: x * _TIMES if name in _SIZES and isinstance(x, int) else x
              for name, x in call.kwargs.items()}  # fmt: skip
    return Call(call.function, tuple(args), kwargs)
