"""Records every tensor of a run in PyTorch, by the operations that the dispatcher gets."""

import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules import module as modules

from jaxvstorch._diff.readers_code import call, is_readers
from jaxvstorch._diff.recording import Array, Kind, Operand, Recording, SourceLine, Value
from jaxvstorch._diff.storage import FullDiskError, Storage
from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private
from jaxvstorch._frameworks.torch import from_numpy

Visit = Callable[[Recording, Value], Array | None]

# Operations of several steps, which JAX does one by one: the steps are values too.
_WITH_STEPS = {
    "_fused_rms_norm", "_log_softmax", "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_softmax",
    "addmm", "baddbmm", "elu", "gelu",
    "hardswish", "huber_loss", "log_sigmoid_forward", "mish", "mse_loss", "native_batch_norm",
    "native_group_norm", "native_layer_norm", "nll_loss_forward", "silu", "smooth_l1_loss",
    "softplus", "std", "var", "var_mean",
}  # fmt: skip


class TorchRecorder(private.TorchDispatchMode):  # type: ignore[misc]
    """Records the operations inside the block.

    Args:
        recording: to fill.
        visit: is told of each value, and may return other numbers for it.
        names: of tensors that are known, such as parameters.
    """

    def __init__(
        self, recording: Recording, visit: Visit, names: dict[int, tuple[Kind, str]]
    ) -> None:
        super().__init__()
        self.recording, self.visit, self.names = recording, visit, names
        self.module_path: list[str] = []
        self.changed: set[str] = set()  # names of what was changed unbeknown to autograd
        self._known: dict[Any, tuple[int, int]] = {}  # a tensor's place in memory: value, writes
        self._writes: dict[int, int] = defaultdict(int)  # into a storage
        self._last: dict[int, int] = {}  # the last value written to a storage
        self._shared: dict[int, list[int]] = defaultdict(list)  # the values in its memory
        self._alive: list[torch.Tensor] = []  # so that no other gets its place
        self._inside = 0  # an operation of several steps
        self._sequence: dict[int, tuple[tuple[SourceLine, ...], str]] = {}

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if function is torch.ops.aten.native_batch_norm.default and args[5] and args[3] is not None:
            return self._batch_norm(args)
        recorded = self._call(function, args, kwargs)
        # What is copied over leaves nothing of what it replaces.
        read = recorded[1][1:] if function is torch.ops.aten.copy_.default else recorded[1:]
        parents = tuple(x.index for x in _leaves(read) if isinstance(x, Operand))
        last = self._steps(function, args, kwargs)
        mutable = function._schema.is_mutable
        if mutable:
            self._keep_what_is_overwritten(function, args, kwargs)
        result = function(*args, **kwargs)
        stack, module = self._where()
        for leaf in _leaves(result):
            if isinstance(leaf, torch.Tensor) and leaf.device.type != "meta":
                self._add(
                    leaf,
                    Kind.RESULT,
                    function._overloadpacket.__name__,
                    parents=parents if last is None else (*parents, last),
                    call=recorded,
                    stack=stack,
                    module=module,
                    inner=self._inside > 0,
                    draws=torch.Tag.nondeterministic_seeded in function.tags,
                    backward=private.current_autograd_node() is not None,
                    view=not mutable and self._storage(leaf) in self._last,
                )
        return result

    def _batch_norm(self, args: Any) -> tuple[Any, ...]:
        """A batch norm in training, which changes its running statistics without saying so."""
        with self:
            results = private.functional_batch_norm(*args)
            for statistic, new in zip(args[3:5], results[3:], strict=True):
                statistic.copy_(new)  # below autograd, so without a new version
                self.changed.add(self.names.get(id(statistic), (None, ""))[1])
        return tuple(results[:3])

    def index_of(self, tensor: torch.Tensor) -> int:
        """The value of a tensor, which is added where it is not known."""
        place = self._place(tensor)
        index, writes = self._known.get(place, (None, 0))
        storage = place[0]
        if index is not None and writes == self._writes[storage]:
            return index
        if storage in self._last:  # a view of what an operation changed in place
            writer = self.recording.values[self._last[storage]]
            value = self._add(
                tensor,
                Kind.RESULT,
                writer.name,
                parents=(writer.index,),
                stack=writer.stack,
                module=writer.module,
            )
        else:
            kind, name = self.names.get(id(tensor), (Kind.CONSTANT, ""))
            stack, module = self._where() if kind == Kind.CONSTANT else ((), "")
            value = self._add(tensor, kind, name, stack=stack, module=module)
        return value.index

    def _add(
        self, tensor: torch.Tensor, kind: Kind, name: str, *, view: bool = False, **rest: Any
    ) -> Value:
        if kind == Kind.RESULT and self._storage(tensor) not in self._last:
            move(tensor, self.recording.storage)
        array = numbers_of(tensor)
        if name.startswith(("empty", "new_empty")):  # memory as it was
            array = np.zeros_like(array)
        value = self.recording.add(kind, array, name=name, **rest)
        other = self.visit(self.recording, value)
        if other is not None and not np.array_equal(other, array):
            if view and any(stride == 0 for stride in tensor.stride()):
                # PyTorch does not write to an expanded tensor.
                self.recording.values[value.index] = value
            else:
                _overwrite(tensor, other, is_result=kind == Kind.RESULT)
                value = self.recording.values[value.index]
        storage, place = self._storage(tensor), self._place(tensor)
        if self._known.get(place, (0, -1))[1] != self._writes[storage]:
            # Otherwise it is the tensor that was given, as of `to` without a change.
            self._known[place] = value.index, self._writes[storage]
        self._last[storage] = value.index
        self._shared[storage].append(value.index)
        self._alive.append(tensor)
        return value

    def _call(self, function: Any, args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
        def operand(leaf: Any) -> Any:
            known = isinstance(leaf, torch.Tensor) and leaf.device.type != "meta"
            return Operand(self.index_of(leaf)) if known else leaf

        args, kwargs = private.pytree.tree_map(operand, (args, kwargs))
        return function, args, kwargs

    def _steps(self, function: Any, args: Any, kwargs: Any) -> int | None:
        """Record the steps of an operation; the index of the last one."""
        name = function._overloadpacket.__name__
        if self._inside or not (name in _WITH_STEPS or name.endswith("_backward")):
            return None
        try:
            decomposition = private.decomposition_table.get(function)
        except MissingNameError:
            return None
        if decomposition is None or function._schema.is_mutable:
            return None
        before = len(self.recording.values)
        self._inside += 1
        try:
            with self:
                decomposition(*args, **kwargs)
        except FullDiskError:
            raise
        except Exception:  # it may not be for these arguments; what was recorded is true
            pass
        finally:
            self._inside -= 1
        after = len(self.recording.values)
        return after - 1 if after > before else None

    def _keep_what_is_overwritten(self, function: Any, args: Any, kwargs: Any) -> None:
        """Copy the numbers of the values whose memory an operation is about to write to."""
        for n, argument in enumerate(function._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            for leaf in _leaves(args[n] if n < len(args) else kwargs.get(argument.name)):
                if isinstance(leaf, torch.Tensor):
                    storage = self._storage(leaf)
                    self._writes[storage] += 1
                    for index in self._shared.pop(storage, []):
                        value = self.recording.values[index]
                        copy = self.recording.storage.moved(value.array)
                        copy = value.array.copy() if copy is None else copy
                        self.recording.substitute(value, copy, value.precise_to)

    def _where(self) -> tuple[tuple[SourceLine, ...], str]:
        """The reader's lines and the module; in a backward pass, those of the operation's."""
        if (node := private.current_autograd_node()) is not None:
            return self._sequence.get(node._sequence_nr(), ((), ""))
        lines: list[SourceLine] = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not call.__code__:
            code = frame.f_code
            if is_readers(code.co_filename):
                lines.append(SourceLine(code.co_filename, frame.f_lineno, code.co_qualname))
            frame = frame.f_back
        if frame is None:  # not called by the reader's function
            return (), ""
        where = tuple(reversed(lines)), ".".join(self.module_path[-1:])
        if torch.is_grad_enabled():  # the operation's node of the graph has the last number
            self._sequence[private.sequence_number() - 1] = where
        return where

    @staticmethod
    def _storage(tensor: torch.Tensor) -> int:
        return tensor.untyped_storage().data_ptr()

    def _place(self, tensor: torch.Tensor) -> Any:
        strides = tuple(tensor.stride())
        return self._storage(tensor), tensor.storage_offset(), tuple(tensor.shape), strides


@contextmanager
def recorded(
    recording: Recording,
    visit: Visit,
    names: dict[int, tuple[Kind, str]],
    root: torch.nn.Module | None,
) -> Iterator[TorchRecorder]:
    """A block in which operations have their plain forms: nothing is compiled or fused.

    Yields the recorder, to be entered.
    """
    recorder = TorchRecorder(recording, visit, names)
    paths = {id(part): path for path, part in root.named_modules()} if root is not None else {}

    def enter(module: torch.nn.Module, _: Any) -> None:
        recorder.module_path.append(paths.get(id(module), type(module).__name__))

    def leave(module: torch.nn.Module, *_: Any) -> None:
        with suppress(IndexError):
            recorder.module_path.pop()

    fast = torch.backends.mha.get_fastpath_enabled()
    with ExitStack() as stack:
        stack.callback(torch.backends.mha.set_fastpath_enabled, fast)
        torch.backends.mha.set_fastpath_enabled(False)
        stack.enter_context(_without_mkldnn())
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))
        stack.enter_context(torch.compiler.set_stance("force_eager"))
        for hook in (
            modules.register_module_forward_pre_hook(enter),
            modules.register_module_forward_hook(leave, always_call=True),
        ):
            stack.callback(hook.remove)
        yield recorder


@contextmanager
def _without_mkldnn() -> Iterator[None]:
    """Let no layer be one operation of mkldnn, such as an LSTM."""
    flags = torch.backends.mkldnn.flags(enabled=False)
    with warnings.catch_warnings(action="ignore"):  # PyTorch warns of Intel GPUs here
        flags.__enter__()
    try:
        yield
    finally:
        with warnings.catch_warnings(action="ignore"):
            flags.__exit__(None, None, None)


def again(recorded_call: tuple[Any, Any, Any], recording: Recording) -> tuple[Any, Any, Any]:
    """A recorded call with tensors for its operands."""

    def tensor(leaf: Any) -> Any:
        return from_numpy(recording.values[leaf.index].array) if isinstance(leaf, Operand) else leaf

    function, args, kwargs = recorded_call
    args, kwargs = private.pytree.tree_map(
        tensor, (args, kwargs), is_leaf=lambda x: isinstance(x, Operand)
    )
    return function, args, kwargs


def _leaves(value: Any) -> list[Any]:
    return list(private.pytree.tree_leaves(value, is_leaf=lambda x: isinstance(x, Operand)))


def move(tensor: torch.Tensor, storage: Storage) -> None:
    """Let a new tensor lie in a file, once it has no room in memory."""
    if tensor.device.type != "cpu" or not tensor.is_contiguous():
        return
    is_whole = tensor.untyped_storage().nbytes() == tensor.nbytes
    if is_whole and (moved := storage.moved(numbers_of(tensor))) is not None:
        tensor.data = torch.frombuffer(moved, dtype=tensor.dtype).reshape(tensor.shape)


def numbers_of(tensor: torch.Tensor) -> Array:
    """A tensor's numbers in its own memory, where NumPy can read that."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        array: Array = tensor.view(torch.uint16).numpy(force=True).view(ml_dtypes.bfloat16)
    else:
        array = tensor.numpy(force=True)
    return array


def _overwrite(tensor: torch.Tensor, array: Array, *, is_result: bool) -> None:
    # A new version of a result would be refused by autograd; one of a weight tells to restore it.
    with torch.no_grad():
        (tensor.data if is_result else tensor.detach()).copy_(from_numpy(array))
