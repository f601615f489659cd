"""An implementation in PyTorch: a module, a method of one, or a function."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from jaxvstorch._diff.readers_code import call, read_from_outside, rebound
from jaxvstorch._diff.recording import Kind, Recording, Returned
from jaxvstorch._diff.side import Inputs, Side, Visit, in_float64
from jaxvstorch._diff.torch_run import move, numbers_of, recorded
from jaxvstorch._frameworks import torch as adapter
from jaxvstorch._frameworks.containers import with_arrays_mapped
from jaxvstorch._frameworks.private import torch as private

_SEED = 0


class TorchSide(Side):
    """A module or a function of PyTorch, and the tensors that a function takes first, if any.

    The reader's module is copied: no run changes it.
    """

    framework = "torch"

    def __init__(self, given: Callable[..., Any], tree: Any = None) -> None:
        given = getattr(given, private.ORIGINAL_MODULE, given)
        self._given, self._tree = given, tree
        self._outside = {} if tree is not None else _outside(given)
        self._copies: dict[bool, _Copy] = {}
        self._with_autograd = False
        named = self._made(lambda x: x).named  # what is given stays as it is
        self.weights = {name: numbers_of(x) for name, x in named.items()}
        self.trained = frozenset(
            name
            for name, x in named.items()
            if x.is_floating_point() and (tree is not None or isinstance(x, torch.nn.Parameter))
        )

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
        rest: Any = {"wide": wide, "base": base, "start": start, "gradient": gradient}
        try:
            return self._run(inputs, visit, **rest)
        except RuntimeError as error:
            if self._with_autograd or gradient or "does not require grad" not in str(error):
                raise
        self._with_autograd = True  # it takes gradients itself
        return self._run(inputs, visit, **rest)

    def _run(
        self,
        inputs: Inputs,
        visit: Visit,
        *,
        wide: bool,
        base: Recording | None,
        start: int,
        gradient: Sequence[str],
    ) -> Recording:
        own = self._copy(wide=wide)
        widened = with_arrays_mapped(in_float64, inputs) if wide else inputs
        args = with_arrays_mapped(adapter.from_numpy, widened)
        given = {name: (Kind.WEIGHT, x) for name, x in own.named.items()}
        tensors = [x for x in private.pytree.tree_leaves(args) if isinstance(x, torch.Tensor)]
        given |= {f"input {n}": (Kind.INPUT, x) for n, x in enumerate(tensors)}
        names = {id(x): (kind, name) for name, (kind, x) in given.items()}
        wanted = [given[name][1] for name in gradient]
        recording = Recording("torch", storage=self.storage)
        with (
            _restored(own, partial(self._made, _widened if wide else _copied)) as changed,
            torch.random.fork_rng(devices=[]),
            torch.set_grad_enabled(bool(gradient) or self._with_autograd),
            default_dtype(torch.float64 if wide else torch.get_default_dtype()),
        ):
            torch.manual_seed(_SEED)
            with recorded(recording, visit, names, own.root) as recorder, _recording(wanted):
                recorder.changed = changed
                for _, tensor in given.values():
                    recorder.index_of(tensor)
                with recorder:
                    result = call(own.function, (*own.first, *args))
                    outputs = outputs_of(result)
                    if wanted:
                        gradients = torch.autograd.grad(
                            _loss(outputs), wanted, allow_unused=True, materialize_grads=True
                        )
                        titles = [f"gradient of {name}" for name in gradient]
                        outputs += zip(titles, gradients, strict=True)
                recording.outputs = [
                    Returned(place, recorder.index_of(leaf)) for place, leaf in outputs
                ]
        return recording

    def _copy(self, *, wide: bool) -> "_Copy":
        """What is given, with tensors of its own."""
        if wide not in self._copies:
            own = self._copies[wide] = self._made(_widened if wide else _copied)
            for tensor in own.named.values() if wide else ():
                move(tensor, self.storage)
        return self._copies[wide]

    def _made(self, copied: Callable[[Any], Any]) -> "_Copy":
        """What is given, with tensors and modules that a function makes of its own."""
        if self._tree is not None:
            tree = private.pytree.tree_map_only(torch.Tensor, copied, self._tree)
            leaves = private.pytree.tree_flatten_with_path(tree)[0]
            named = {private.pytree.keystr(path) or "weights": leaf for path, leaf in leaves}
            tensors = {name: x for name, x in named.items() if isinstance(x, torch.Tensor)}
            return _Copy(self._given, tensors, first=(tree,))
        owner = getattr(self._given, "__self__", self._given)
        if isinstance(owner, torch.nn.Module):
            module = copied(owner)
            function = module if owner is self._given else getattr(module, self._given.__name__)
            return _Copy(function, _named(module), root=module)
        modules = {k: x for k, x in self._outside.items() if isinstance(x, torch.nn.Module)}
        outside: dict[str, Any] = {**copied(modules)}
        outside |= {k: copied(x) for k, x in self._outside.items() if isinstance(x, torch.Tensor)}
        named = {k: x for k, x in outside.items() if isinstance(x, torch.Tensor)}
        for key in modules:
            prefix = f"{key}." if len(modules) > 1 else ""
            named |= {prefix + name: x for name, x in _named(outside[key]).items()}
        root = outside[next(iter(modules))] if len(modules) == 1 else None
        return _Copy(rebound(self._given, outside), named, root=root)


@dataclass(frozen=True)
class _Copy:
    """A function with tensors of its own.

    Attributes:
        function: to call.
        named: its tensors.
        first: what it is called with before the inputs.
        root: the module whose parts are named.
    """

    function: Callable[..., Any]
    named: dict[str, torch.Tensor]
    first: tuple[Any, ...] = ()
    root: torch.nn.Module | None = None


def _copied(given: Any) -> Any:
    """A tensor, a module or a dictionary of modules, with memory of its own."""
    return given.detach().clone() if isinstance(given, torch.Tensor) else copy.deepcopy(given)


def _widened(given: Any) -> Any:
    """A copy in float64."""
    own = _copied(given)
    if isinstance(own, torch.Tensor):
        return own.double() if own.is_floating_point() else own
    for module in own.values() if isinstance(own, dict) else [own]:
        module.double()
    return own


def _named(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _outside(function: Callable[..., Any]) -> dict[str, Any]:
    """The modules and tensors that a function reads from outside, by the names it has for them."""
    return {
        name: value
        for name, value in read_from_outside(function).items()
        if isinstance(value, torch.nn.Module | torch.Tensor)
    }


@contextmanager
def _restored(own: _Copy, made: Callable[[], _Copy]) -> Iterator[set[str]]:
    """Give tensors that the block changes their numbers again, from a new copy.

    Yields a set for the names of those whose version does not tell.
    """
    before = {name: tensor._version for name, tensor in own.named.items()}
    changed = set[str]()
    try:
        yield changed
    finally:
        changed |= {name for name, x in own.named.items() if x._version != before[name]}
        if changed := changed & own.named.keys():
            fresh = made().named
            for name in changed:  # in memory of their own: a recording goes on showing the old one
                own.named[name].data = fresh[name].data


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Let tensors that the reader's code creates have this dtype, where it names none."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _recording(tensors: Sequence[torch.Tensor]) -> Iterator[None]:
    """Let autograd record what is computed from some tensors."""
    before = [tensor.requires_grad for tensor in tensors]
    for tensor in tensors:
        tensor.requires_grad_(True)
    try:
        yield
    finally:
        for tensor, required in zip(tensors, before, strict=True):
            tensor.requires_grad_(required)


def _loss(outputs: Sequence[tuple[str, torch.Tensor]]) -> torch.Tensor:
    """The only output if it is one number; else the sum of the outputs' squares and sines.

    Behind a norm the squares alone would have a gradient of almost 0, which is only roundings.

    Raises:
        ValueError: no output is computed from what gradients are asked for.
    """
    parts = [torch.view_as_real(x) if x.is_complex() else x for _, x in outputs]
    tensors = [x for x in parts if x.is_floating_point()]
    if not any(x.requires_grad for x in tensors):
        raise ValueError(
            "gradient=True: no output of PyTorch depends on the weights or inputs in a way that "
            "autograd records: look for no_grad, detach, and outputs that are no real numbers"
        )
    if len(tensors) == 1 and tensors[0].numel() == 1:
        return tensors[0].sum()
    return sum((x.square().sum() + x.sin().sum() for x in tensors), start=torch.zeros(()))


def outputs_of(result: Any) -> list[tuple[str, torch.Tensor]]:
    try:
        paths = private.pytree.tree_flatten_with_path(result)[0]
        named = [(private.pytree.keystr(path), leaf) for path, leaf in paths]
    except ValueError:  # a container whose type tells no names, as in transformers 4
        named = [(f"[{n}]", leaf) for n, leaf in enumerate(private.pytree.tree_leaves(result))]
    return [(place, leaf) for place, leaf in named if isinstance(leaf, torch.Tensor)]
