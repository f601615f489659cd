"""An implementation in PyTorch: a module, a method of one, or a function."""

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from jaxvstorch._diff.recording import Kind, Recording
from jaxvstorch._diff.side import Inputs, Side, Visit, in_float64
from jaxvstorch._diff.torch_run import recorded
from jaxvstorch._diff.whose import call
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
        owner = given if isinstance(given, torch.nn.Module) else getattr(given, "__self__", None)
        self._module = owner if isinstance(owner, torch.nn.Module) else None
        self._given, self._tree = given, tree
        self._copies: dict[bool, torch.nn.Module] = {}
        named = list(self._named(self._module, tree))
        self.weights = {name: adapter.to_numpy(x) for name, x in named}
        self.trained = frozenset(
            name
            for name, x in named
            if x.is_floating_point() and (tree is not None or isinstance(x, torch.nn.Parameter))
        )

    @property
    def can_be_wide(self) -> bool:
        """Whether all that it computes with can be put into float64."""
        return self._module is not None or self._tree is not None or not self._held()

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
        module, tree = self._module_for(wide), self._tree_for(wide)
        function: Callable[..., Any] = self._given
        if module is not None:
            is_method = not isinstance(self._given, torch.nn.Module)
            function = getattr(module, self._given.__name__) if is_method else module
        widened = with_arrays_mapped(in_float64, inputs) if wide else inputs
        args = with_arrays_mapped(adapter.from_numpy, widened)
        given = {name: (Kind.WEIGHT, x) for name, x in self._named(module, tree)}
        tensors = [x for x in private.pytree.tree_leaves(args) if isinstance(x, torch.Tensor)]
        given |= {f"input {n}": (Kind.INPUT, x) for n, x in enumerate(tensors)}
        names = {id(x): (kind, name) for name, (kind, x) in given.items()}
        wanted = [given[name][1] for name in gradient]
        recording = Recording("torch")
        with (
            unchanged(module, *self._held()),
            torch.random.fork_rng(devices=[]),
            torch.set_grad_enabled(bool(gradient)),
            _default_dtype(torch.float64 if wide else torch.get_default_dtype()),
        ):
            torch.manual_seed(_SEED)
            with recorded(recording, visit, names, module) as recorder, _recording(wanted):
                for _, tensor in given.values():
                    recorder.index_of(tensor)
                result = call(function, args if tree is None else (tree, *args))
                outputs = _outputs(result)
                if wanted:
                    gradients = torch.autograd.grad(
                        _loss(outputs), wanted, allow_unused=True, materialize_grads=True
                    )
                    titles = [f"gradient of {name}" for name in gradient]
                    outputs += zip(titles, gradients, strict=True)
                recording.outputs = [(place, recorder.index_of(leaf)) for place, leaf in outputs]
        return recording

    def _named(
        self, module: torch.nn.Module | None, tree: Any
    ) -> Iterator[tuple[str, torch.Tensor]]:
        if module is not None:
            yield from module.named_parameters()
            yield from module.named_buffers()
        elif tree is not None:
            for path, leaf in private.pytree.tree_flatten_with_path(tree)[0]:
                if isinstance(leaf, torch.Tensor):
                    yield private.pytree.keystr(path), leaf
        else:
            for held in self._held():
                yield from held.named_parameters()
                yield from held.named_buffers()

    def _held(self) -> list[torch.nn.Module]:
        """The modules that a function reads from outside."""
        if self._module is not None or not inspect.isfunction(inspect.unwrap(self._given)):
            return []
        outside = inspect.getclosurevars(inspect.unwrap(self._given))
        values = [*outside.nonlocals.values(), *outside.globals.values()]
        return [value for value in values if isinstance(value, torch.nn.Module)]

    def _module_for(self, wide: bool) -> torch.nn.Module | None:
        if self._module is not None and wide not in self._copies:
            module = copy.deepcopy(self._module)
            self._copies[wide] = module.double() if wide else module
        return self._copies.get(wide)

    def _tree_for(self, wide: bool) -> Any:
        def copied(x: torch.Tensor) -> torch.Tensor:
            return x.detach().double() if wide and x.is_floating_point() else x.detach().clone()

        return private.pytree.tree_map_only(torch.Tensor, copied, self._tree)


@contextmanager
def unchanged(*modules: torch.nn.Module | None) -> Iterator[None]:
    """Restore the tensors of modules at the end of the block."""
    tensors = [
        tensor
        for module in modules
        if module is not None
        for tensor in (*module.parameters(), *module.buffers())
    ]
    before = [(tensor, tensor._version, tensor.detach().clone()) for tensor in tensors]
    try:
        yield
    finally:
        with torch.no_grad():
            for tensor, version, numbers in before:
                if tensor._version != version:
                    tensor.copy_(numbers)


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
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
    """The only output if it is one number; else the sum of the outputs' squares."""
    tensors = [x for _, x in outputs if x.is_floating_point()]
    if len(tensors) == 1 and tensors[0].numel() == 1:
        return tensors[0].sum()
    return sum((x.square().sum() for x in tensors), start=torch.zeros(()))


def _outputs(result: Any) -> list[tuple[str, torch.Tensor]]:
    named = private.pytree.tree_flatten_with_path(result)[0]
    return [
        (private.pytree.keystr(path), leaf)
        for path, leaf in named
        if isinstance(leaf, torch.Tensor)
    ]
