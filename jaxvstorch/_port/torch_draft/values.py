"""Values of a JAX program at one moment, kept apart from it: arrays, weights, states."""

import inspect
import sys
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxvstorch._port.torch_draft.files import is_of_the_run
from jaxvstorch._port.torch_draft.kinds import (
    KEY,
    METRIC,
    MODULE,
    OPT_STATE,
    OPTIMIZER,
    SCHEDULE,
    TRAIN_STATE,
    TRANSFORMATION,
    VARIABLES,
    is_flax,
)


@dataclass(frozen=True)
class Frozen:
    """A value: what it is, and its arrays in NumPy.

    Attributes:
        kind: see ``kinds``.
        value: arrays, or a tree of them; the weights of a module by their names.
            made: the name of a module's class, and the arguments that made it.
        training: whether a module draws and averages.
    """

    kind: str
    value: Any = None
    made: Any = None
    training: bool = True


def freeze(value: Any, recording: Any) -> Frozen:
    """A copy of a value as it is now."""
    kind = recording.kind.of(value)
    if kind in (KEY, TRANSFORMATION, OPT_STATE, SCHEDULE):
        return Frozen(kind)
    if kind == OPTIMIZER:
        return Frozen(kind, weights(getattr(value, "model", None)))
    if kind == TRAIN_STATE:
        stats = getattr(value, "batch_stats", None)
        params = weights(value.params)
        return Frozen(kind, {"params": params, "batch_stats": weights(stats)} if stats else params)
    if kind == VARIABLES:
        return Frozen(kind, weights(value))
    if kind == MODULE:
        return Frozen(kind, weights(value), made_with(value, recording), _trains(value))
    if kind == METRIC:
        held = {n: part for n, part in vars(value).items() if not n.startswith("_")}
        state = {}
        for name, part in held.items():
            inside = recording.kind.of(part) == METRIC
            state[name] = freeze(part, recording) if inside else _plain_value(part)
        return Frozen(kind, state, type(value).__name__)
    if isinstance(value, jax.Array | np.ndarray):
        return Frozen(kind, np.array(value))
    if isinstance(value, tuple | list | dict):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        frozen = {key: freeze(part, recording) for key, part in parts}
        return Frozen(f"tree {type(value).__name__}", frozen, (type(value), None, None))
    return Frozen(kind, value)


def weights(value: Any) -> Any:
    """The arrays of a module, or a tree of arrays, as nested dictionaries of NumPy's."""
    nnx = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(value, nnx.State):
        return _plain(nnx.to_pure_dict(value))
    if nnx is not None and is_flax(value, "nnx"):
        keeps = nnx.filterlib.Not(nnx.RngState)
        return _plain(nnx.to_pure_dict(nnx.state(value, keeps)))
    if is_flax(value, "linen"):
        return _plain(value.variables) if getattr(value, "scope", None) is not None else None
    return _plain(value)


def _plain_value(part: Any) -> Any:
    return np.array(part[...]) if hasattr(part, "get_value") else part


def _plain(value: Any) -> Any:
    if isinstance(value, jax.Array | np.ndarray):
        is_key = jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)
        return None if is_key else np.array(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, tuple | list):
        value = dict(enumerate(value))
    if hasattr(value, "items"):
        return {str(name): _plain(part) for name, part in value.items()}
    of_library = type(value).__module__.partition(".")[0] in ("flax", "equinox")
    if of_library or is_of_the_run(type(value)):
        return {name: _plain(part) for name, part in getattr(value, "__dict__", {}).items()}
    return None


def made_with(value: Any, recording: Any) -> tuple[str, Any, Any] | None:
    """The class and arguments that made a module, or one of the same structure."""
    of_class = [m for m in recording.makings if type(m[3]) is type(value)]
    same = [m for m in of_class if m[3] is value] or [
        m for m in of_class if _shapes(m[3]) == _shapes(value)
    ]
    return same[0][:3] if same else None


def _trains(value: Any) -> bool:
    """Whether the layers of a module draw and average."""
    nnx = sys.modules.get("flax.nnx")
    parts = [value]
    if nnx is not None and isinstance(value, nnx.Module):
        parts = [part for _, part in nnx.iter_modules(value)]
    flags = [getattr(p, n, None) for p in parts for n in ("deterministic", "use_running_average")]
    return True not in flags


def _shapes(value: Any) -> Any:
    return jax.tree.map(np.shape, weights(value))


def signature_names(function: Any) -> list[str]:
    """The names of a function's parameters."""
    return list(inspect.signature(function).parameters)
