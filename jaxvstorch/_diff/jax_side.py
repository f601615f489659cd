"""An implementation in JAX: a function or a module of flax or equinox, alone or with weights."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxvstorch._diff.jax_run import JaxRecorder, jax_array
from jaxvstorch._diff.readers_code import call, read_from_outside, rebound
from jaxvstorch._diff.recording import Kind, Recording, Returned
from jaxvstorch._diff.side import Inputs, Side, Visit, in_float64
from jaxvstorch._frameworks.containers import with_arrays_mapped

ARRAYS = (jax.Array, np.ndarray)
_JITTED = type(jax.jit(abs))


class JaxSide(Side):
    """A function of JAX, and a tree of its weights."""

    framework = "jax"

    def __init__(self, function: Callable[..., Any], tree: Any = ()) -> None:
        """``function`` is called with the tree and then the inputs."""
        self._function = function
        paths, self._structure = jax.tree_util.tree_flatten_with_path(tree)
        self._leaves = [leaf for _, leaf in paths]
        self._all_names = self._names_of([path for path, _ in paths])
        leaves = zip(self._all_names, self._leaves, strict=True)
        named = [(name, leaf) for name, leaf in leaves if isinstance(leaf, ARRAYS)]
        self.weights = {name: np.asarray(leaf) for name, leaf in named if not is_key(leaf)}
        self.trained = frozenset(
            name
            for name, array in self.weights.items()
            if jnp.issubdtype(array.dtype, jnp.floating)
        )
        self._names = [name for name, _ in named]
        self._traces: dict[Any, tuple[Any, list[str]]] = {}

    def _names_of(self, paths: Sequence[Any]) -> list[str]:
        """The names of all leaves."""
        return list(map(name_of, paths))

    def run(
        self,
        inputs: Inputs,
        visit: Visit,
        *,
        wide: bool,
        base: Recording | None = None,
        start: int = 0,
        gradient: Sequence[str] = (),
    ) -> Recording:
        """Run it; see ``Side``."""
        with _precision(wide):
            arrays = [x for x in self._leaves if isinstance(x, ARRAYS)]
            given, structure = jax.tree.flatten(
                with_arrays_mapped(lambda x: _array(x, wide) if is_array(x) else x, inputs)
            )
            tensors = [x for x in given if isinstance(x, ARRAYS)]
            kinds = [(Kind.WEIGHT, name) for name in self._names]
            kinds += [(Kind.INPUT, f"input {n}") for n in range(len(tensors))]
            names = [name for _, name in kinds]
            static = [repr(x) for x in given if not isinstance(x, ARRAYS)]
            key = wide, tuple(gradient), *static, *((x.shape, x.dtype) for x in tensors)
            if key not in self._traces:
                wanted = [names.index(name) for name in gradient]
                shapes = [_shape_of(x, wide) for x in arrays]
                self._traces[key] = self._trace([*shapes, *tensors], given, structure, wanted)
            closed, places = self._traces[key]
            places = [*places, *(f"gradient of {name}" for name in gradient)]
            recording = Recording("jax", storage=self.storage)
            recorder = JaxRecorder(recording, visit, base, start)
            indices = recorder.run(closed, [*arrays, *tensors], kinds, partial(_array, wide=wide))
            recording.outputs = list(map(Returned, places, indices))
        return recording

    def _trace(
        self, arrays: list[Any], given: list[Any], structure: Any, wanted: list[int]
    ) -> tuple[Any, list[str]]:
        places: list[str] = []
        count = len(self._names)

        def of_arrays(*arrays: Any) -> list[Any]:
            tree = jax.tree.unflatten(self._structure, _merged(self._leaves, arrays[:count]))
            args = jax.tree.unflatten(structure, _merged(given, arrays[count:]))
            result = call(self._function, (tree, *args))
            named, _ = jax.tree_util.tree_flatten_with_path(result)
            results = [(path, leaf) for path, leaf in named if isinstance(leaf, ARRAYS)]
            places[:] = [jax.tree_util.keystr(path) for path, _ in results]
            return [leaf for _, leaf in results]

        def with_gradients(*arrays: Any) -> list[Any]:
            def loss(*arrays: Any) -> tuple[Any, list[Any]]:
                results = of_arrays(*arrays)
                return _loss(results), results

            gradients, results = jax.grad(loss, wanted, has_aux=True)(*arrays)
            # PyTorch's gradient of a complex number is the conjugate of JAX's.
            turned = [jnp.conj(x) if jnp.iscomplexobj(x) else x for x in gradients]
            return [*results, *turned]

        return jax.make_jaxpr(with_gradients if wanted else of_arrays)(*arrays), places


def _loss(outputs: list[Any]) -> Any:
    """The only output if it is one number; else the sum of the outputs' squares and sines."""
    parts = [y for x in outputs for y in ((x.real, x.imag) if jnp.iscomplexobj(x) else (x,))]
    floats = [x for x in parts if jnp.issubdtype(x.dtype, jnp.floating)]
    if len(floats) == 1 and floats[0].size == 1:
        return floats[0].sum()
    return sum((jnp.square(x).sum() + jnp.sin(x).sum() for x in floats), start=jnp.zeros(()))


def jax_side(given: Any, tree: Any = None) -> JaxSide:
    """The side that a reader's object, and weights beside it, make."""
    flax, linen = sys.modules.get("flax.nnx"), sys.modules.get("flax.linen")
    owner = getattr(given, "__self__", given)
    if tree is not None:
        return JaxSide(_applied(given), tree)
    if flax is not None and isinstance(owner, flax.Module):
        graph, state = flax.split(owner)

        def with_state(state: Any, *inputs: Any) -> Any:
            module = flax.merge(graph, state)
            return (getattr(module, given.__name__) if owner is not given else module)(*inputs)

        return JaxSide(with_state, state)
    if linen is not None and isinstance(owner, linen.Module) and owner.scope is not None:
        module, variables = owner.unbind()
        method = given.__name__ if owner is not given else None
        return JaxSide(lambda tree, *inputs: module.apply(tree, *inputs, method=method), variables)
    leaves = jax.tree.leaves(given)
    if len(leaves) != 1 or leaves[0] is not given:  # a tree that can be called, as of equinox
        return JaxSide(lambda tree, *inputs: tree(*inputs), given)
    return _with_outside(given) or JaxSide(lambda _, *inputs: given(*inputs))


def _with_outside(given: Any) -> JaxSide | None:
    """A function that reads its weights from outside: arrays in containers, or modules."""
    nnx: Any = sys.modules.get("flax.nnx")
    function: Any = getattr(given, "__wrapped__", None) if isinstance(given, _JITTED) else given
    trees, graphs = {}, {}
    for name, value in read_from_outside(function).items():
        if nnx is not None and isinstance(value, nnx.Module):
            graphs[name], trees[name] = nnx.split(value)
        elif any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value)):
            trees[name] = value
    if not trees:
        return None

    def with_trees(trees: Any, *inputs: Any) -> Any:
        modules = {name: nnx.merge(graph, trees[name]) for name, graph in graphs.items()}
        return rebound(function, {**trees, **modules})(*inputs)

    return JaxSide(with_trees, trees)


def _applied(given: Any) -> Callable[..., Any]:
    """A function of weights and inputs."""
    apply = getattr(given, "apply", None)
    if apply is None:
        return given  # type: ignore[no-any-return]
    if type(given).__module__.startswith("haiku"):
        if hasattr(given, "_fields") and type(given).__name__ == "TransformedWithState":
            return lambda tree, *inputs: apply(*tree, None, *inputs)[0]
        return lambda tree, *inputs: apply(tree, None, *inputs)
    return apply  # type: ignore[no-any-return]


def _merged(leaves: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    rest = iter(arrays)
    return [next(rest) if isinstance(leaf, ARRAYS) else leaf for leaf in leaves]


def _precision(wide: bool) -> AbstractContextManager[None]:
    context: AbstractContextManager[None] = jax.enable_x64(True) if wide else nullcontext()
    return context


def _array(value: Any, wide: bool) -> Any:
    """A JAX array; 64-bit integers in 32 bits, as JAX has them by default."""
    if is_key(value):
        return value
    array = np.asarray(value)
    return jax_array(array.astype(_shape_of(array, wide).dtype, copy=False))


def _shape_of(value: Any, wide: bool) -> jax.ShapeDtypeStruct:
    """What ``_array`` makes of an array."""
    dtype = value.dtype
    if not is_key(value):
        wider = in_float64(np.empty(0, dtype)).dtype
        dtype = wider if wide else jax.dtypes.canonicalize_dtype(dtype)
    return jax.ShapeDtypeStruct(value.shape, dtype)


def is_array(value: Any) -> bool:
    """Whether a value is traced; what Python has of its own may decide on a branch or a shape."""
    return isinstance(value, (*ARRAYS, np.generic))


def is_key(value: Any) -> bool:
    """Whether it is a random key, whose dtype NumPy does not have."""
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.extended)


def name_of(path: Any) -> str:
    """A leaf's path, such as ``blocks.0.norm.scale``."""
    keys = (getattr(k, "name", getattr(k, "idx", getattr(k, "key", k))) for k in path)
    names = [str(key) for key in keys]
    names = names[:-1] if len(names) > 1 and names[-1] == "value" else names
    return ".".join(names) or "weights"
