"""What the values of a JAX program are to a port: a key, a module, an optimizer's state."""

import sys
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

KEY, MODULE, VARIABLES, CHANGED, TRANSFORMATION, OPT_STATE, OPTIMIZER, TRAIN_STATE = (
    "key", "module", "variables", "changed", "transformation", "opt_state", "optimizer",
    "train_state",
)  # fmt: skip
ARRAY, NUMPY, TREE, FUNCTION, PLAIN = "array", "numpy", "tree", "function", "plain"
NOTHING, SCHEDULE, METRIC, APPLY = "nothing", "schedule", "metric", "apply"


class Kinds:
    """Says what a value is; it knows the variables of linen by the structure that ``init`` gave."""

    def __init__(self) -> None:
        self.variables: dict[Any, str] = {}  # by the structure of the trees that ``init`` gave

    def learn(self, variables: Any) -> None:
        """Remember what ``init`` of a linen module gave."""
        self.variables[jax.tree.structure(variables)] = VARIABLES
        for name, part in variables.items():
            changed = VARIABLES if name == "params" else CHANGED
            self.variables.setdefault(jax.tree.structure(part), changed)
            self.variables.setdefault(jax.tree.structure({name: part}), changed)

    def of(self, value: Any) -> str:
        """The kind of a value."""
        if is_key(value):
            return KEY
        if value is None or (isinstance(value, list) and value and all(v is None for v in value)):
            return NOTHING
        if isinstance(value, jax.Array):
            return ARRAY
        if isinstance(value, np.ndarray):
            return NUMPY
        by_library = self._of_library(value)
        if by_library is not None:
            return by_library
        if isinstance(value, Mapping) and value and self.variables:
            kind = self.variables.get(jax.tree.structure(value))
            if kind is not None:
                return kind
        if isinstance(value, dict | list | tuple) and value:
            leaves = jax.tree.leaves(value)
            if leaves and all(isinstance(leaf, jax.Array) for leaf in leaves):
                return KEY if all(map(is_key, leaves)) else TREE
        if not callable(value):
            return PLAIN
        owner, name = getattr(value, "__self__", None), getattr(value, "__name__", "")
        if name == "apply" and is_flax(owner, "linen"):
            return APPLY
        made_by = getattr(value, "__module__", None) or ""
        return SCHEDULE if made_by.startswith("optax.schedules") else FUNCTION

    def _of_library(self, value: Any) -> str | None:
        if is_flax(value, "nnx") and type(value).__name__ in ("Rngs", "RngStream"):
            return KEY
        if is_flax(value, "nnx", "Optimizer"):
            return OPTIMIZER
        if is_flax(value, "nnx.training.metrics") and hasattr(value, "compute"):
            return METRIC
        if is_module(value):
            return MODULE
        if type(value).__name__ == "TrainState" or is_flax(value, "training.train_state"):
            return TRAIN_STATE
        optax = sys.modules.get("optax")
        if optax is None or isinstance(value, type):
            return None
        if isinstance(value, optax.GradientTransformation | optax.MultiSteps):
            return TRANSFORMATION
        return OPT_STATE if isinstance(value, tuple) and _holds_state(value) else None


def is_key(value: Any) -> bool:
    """Whether a value is a key, or keys, of ``jax.random``."""
    if not isinstance(value, jax.Array):
        return False
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return True
    return value.dtype == jnp.uint32 and value.ndim > 0 and value.shape[-1] == 2


def number_of_keys(value: Any) -> int | None:
    """How many keys a list or an array of them has; None of anything else."""
    if isinstance(value, list | tuple):
        return len(value) if all(map(is_key, value)) else None
    if not is_key(value):
        return None
    single = 0 if jnp.issubdtype(value.dtype, jax.dtypes.prng_key) else 1
    return value.shape[0] if value.ndim > single else None


def are_keys(of: set[str]) -> bool:
    """Whether what a name held were keys, or nothing where a key is left out."""
    return KEY in of and of <= {KEY, NOTHING}


def are_of_numpy(value: Any) -> bool:
    """Whether there is an array of NumPy's, and none of JAX's, in dictionaries or lists."""
    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(isinstance(leaf, np.ndarray) for leaf in leaves)


def is_flax(value: Any, module: str, name: str = "") -> bool:
    """Whether a value's class, or one that it is derived from, is of a module of flax."""
    return any(
        base.__module__.startswith(f"flax.{module}") and name in base.__name__
        for base in type(value).__mro__
    )


def is_module(value: Any) -> bool:
    """Whether a value is a module of nnx, linen or Equinox."""
    return any(
        (base.__module__.partition(".")[0] in ("flax", "equinox") and base.__name__ == "Module")
        for base in type(value).__mro__
    )


def _holds_state(value: Any) -> bool:
    """Whether a tuple is the state of an optimizer of optax, or of a chain of them."""
    if type(value).__module__.startswith("optax"):
        return True
    return bool(value) and all(isinstance(p, tuple) and _holds_state(p) for p in value)
