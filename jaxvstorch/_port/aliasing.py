"""What else changes where a call writes into a tensor: in JAX, no array shares its memory."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.filling import is_loop_variable
from jaxvstorch._port.isolation import unseen
from jaxvstorch._port.map.running.call import flat
from jaxvstorch._port.reaching import Reached, reachable, slot_of, value_of

_EXACT = 2**26  # bytes of a storage up to which its shared elements are looked at one by one
_SHOWN = 3


class Writes:
    """The writes of one call into its arguments.

    Args:
        args: of the call, before it.
        kwargs: of the call, before it.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._out = [t for t in flat(kwargs.get("out")) if isinstance(t, torch.Tensor)]
        candidates = self._out or [t for t in flat(args[:1]) if isinstance(t, torch.Tensor)]
        with unseen():
            self._before = [(t, _version(t)) for t in candidates]

    def written(self, name: str) -> list[torch.Tensor]:
        """The tensors that the call wrote into, after it.

        Args:
            name: of the function; where PyTorch counts no writes, it tells.
        """
        if not self._before:
            return []
        by_name = bool(self._out) or name.rstrip("_") != name
        with unseen():
            return [t for t, before in self._before
                    if (by_name if before is None else _version(t) != before)]  # fmt: skip

    def others(
        self, name: str, frame: FrameType | None, node: ast.AST | None, index: Any = None
    ) -> str:
        """What a reader must be told of other variables that the call changed; mostly nothing.

        Args:
            name: of the function.
            frame: of the program, which called.
            node: the call, if it is known: what it writes into is assigned in JAX. ``ast.Pass``
                for a call that assigns nothing.
            index: of an assignment to a part.
        """
        try:
            tensors = self.written(name)
            if frame is None or not tensors:
                return ""
            target = _target(name, node, frame, bool(self._out))
            if target is not None and _is_rest_of_update(name, node, target, frame):
                return ""
            base = None if target is None else _base(target)
            own, base_slot = (None if e is None else slot_of(e, frame) for e in (target, base))
            in_loop = isinstance(target, ast.Name) and is_loop_variable(
                target.id, frame.f_code.co_filename, frame.f_lineno
            )
            changed: dict[str, tuple[Reached, torch.Tensor]] = {}
            with unseen():
                for r in reachable(frame):
                    if base is not None and r.slot == base_slot:
                        r = replace(r, path=ast.unparse(base), here=True)  # self.x, and not net.x
                    elif in_loop and r.path != r.root:
                        r = replace(r, path=f"a part of {r.root}", here=False)
                    for t in tensors:
                        assigned = r.slot == own or (node is None and r.here and r.value is t)
                        if not assigned and _shares(t, index, r.value):
                            changed.setdefault(r.path, (r, t))
            return _said(changed, target)
        except Exception:  # such as a tensor without memory
            return ""


def _version(tensor: torch.Tensor) -> int | None:
    """How often a tensor's memory was written; None in inference mode."""
    try:
        return tensor._version
    except RuntimeError:
        return None


def _said(changed: dict[str, tuple[Reached, torch.Tensor]], target: ast.expr | None) -> str:
    """One sentence on the variables that share memory with what was written."""
    if not changed:
        return ""
    paths = list(changed)
    if len(paths) == 1:
        hint = _hint(*changed[paths[0]], target)
        return f"{paths[0]} changes too: it is the same memory; {hint}"
    more = f", and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{', '.join(paths[:_SHOWN])}{more} change too: they are the same memory; assign them"


def _hint(reached: Reached, written: torch.Tensor, target: ast.expr | None) -> str:
    """The assignment that does in JAX what the shared memory does."""
    path, value = reached.path, reached.value
    if target is None or not isinstance(value, torch.Tensor):
        return "assign the result to it"
    new = ast.unparse(target)
    if isinstance(target, ast.Subscript) and ast.unparse(target.value) == path:
        part = ast.Subscript(
            ast.Attribute(target.value, "at", ast.Load()), target.slice, ast.Load()
        )
        return f"assign {path} = {ast.unparse(part)}.set(…)"
    if path.startswith("a part of "):
        return "assign it there"
    if not reached.here:
        return f"return {new}, and assign it there"
    layout = (value.size(), value.stride(), value.storage_offset())
    if layout == (written.size(), written.stride(), written.storage_offset()):
        return f"assign {path} = {new}"
    both_whole = written.is_contiguous() and value.is_contiguous()
    if both_whole and written.numel() == value.numel():
        return f"assign {path} = {new}.reshape({path}.shape)"
    if value.ndim == 2 and layout[:2] == (written.size()[::-1], written.stride()[::-1]):
        return f"assign {path} = {new}.T"
    return "assign it too"


def _target(name: str, node: ast.AST | None, frame: FrameType, out: bool) -> ast.expr | None:
    """The expression of what a call writes into."""
    target: ast.expr | None
    match node:
        case ast.Assign(targets=[ast.Subscript(value=value), *_]) if name == "Tensor.__setitem__":
            target = value
        case ast.AugAssign(target=ast.Subscript(value=value)) if name == "Tensor.__setitem__":
            target = value
        case ast.Subscript(value=value) if name == "Tensor.__setitem__":  # of x[0], y = …
            target = value
        case ast.AugAssign(target=target):
            pass
        case ast.Call(keywords=words) if out:
            target = next((word.value for word in words if word.arg == "out"), None)
        case ast.Call(func=ast.Attribute(value=value)) if name.startswith("Tensor."):
            target = value
        case ast.Call(args=[first, *_]):
            target = first
        case _:
            return None
    while True:  # x.data, x.detach() and x.add_(1) are x itself
        match target:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr == "detach" or (
                attr.endswith("_") and not attr.endswith("__")
            ):
                target = value
            case ast.Attribute(value=value, attr="data") if _is_tensor(value, frame):
                target = value
            case _:
                return target


def _is_tensor(node: ast.expr, frame: FrameType) -> bool:
    try:
        return isinstance(value_of(node, frame), torch.Tensor)
    except LookupError:
        return not isinstance(node, ast.Name)


def _base(target: ast.expr) -> ast.expr:
    """The expression that a view is made of: x of ``x.view(-1)[0]``."""
    while True:
        match target:
            case ast.Subscript(value=value) | ast.Call(func=ast.Attribute(value=value)):
                target = value
            case ast.Attribute(value=value, attr="T" | "mT" | "H" | "mH" | "real" | "imag"):
                target = value
            case _:
                return target


def _is_rest_of_update(name: str, node: ast.AST | None, target: ast.expr, frame: FrameType) -> bool:
    """Whether this is the addition of ``x[i] += v``, which then assigns to x[i]."""
    if name == "Tensor.__setitem__" or not isinstance(node, ast.AugAssign):
        return False
    if not isinstance(target, ast.Subscript):
        return False
    try:
        return isinstance(value_of(target.value, frame), torch.Tensor)
    except LookupError:
        return True


def _shares(written: torch.Tensor, index: Any, other: Any) -> bool:
    """Whether writing into a tensor, or at an index of it, changes another array."""
    if isinstance(other, np.ndarray):
        low, high = np.lib.array_utils.byte_bounds(other)
        begin, end = _bounds(written)
        return other.size > 0 and low < end and begin < high
    if other.layout is not torch.strided:
        return False
    storage = written.untyped_storage()
    if other.untyped_storage().data_ptr() != storage.data_ptr() or not storage.data_ptr():
        return False
    if not other.numel() or not written.numel():
        return False
    if other is written:
        return True
    if storage.nbytes() > _EXACT:
        (begin, end), (low, high) = _bounds(written), _bounds(other)
        return low < end and begin < high
    is_written = torch.zeros(storage.nbytes(), dtype=torch.bool)
    for part in _byte_by_byte(is_written, written):
        part[... if index is None else _on_cpu(index)] = True
    return any(bool(part.any()) for part in _byte_by_byte(is_written, other))


def _on_cpu(index: Any) -> Any:
    if isinstance(index, torch.Tensor):
        return index.cpu()
    return tuple(map(_on_cpu, index)) if isinstance(index, tuple) else index


def _bounds(tensor: torch.Tensor) -> tuple[int, int]:
    """The addresses of a tensor's first byte, and of the one behind its last."""
    steps = zip(tensor.size(), tensor.stride(), strict=True)
    last = sum((size - 1) * stride for size, stride in steps)
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _byte_by_byte(flags: torch.Tensor, tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Of flags for the bytes of a storage, those of each byte of a tensor's elements."""
    size = tensor.element_size()
    strides = [stride * size for stride in tensor.stride()]
    for byte in range(size):
        yield flags.as_strided(tensor.size(), strides, tensor.storage_offset() * size + byte)
