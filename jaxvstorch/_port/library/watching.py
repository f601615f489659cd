"""Watches which expressions of a library run, what they return, and what its functions take."""

import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType
from typing import Any

import torch

from jaxvstorch._port.draft.frames import constructed
from jaxvstorch._port.draft.recorded import Given, given_to
from jaxvstorch._port.filling import Span
from jaxvstorch._port.locations import span_of_call

OTHER = object()  # a value that is no constant
_CONSTANT = (type(None), bool, int, float, str, torch.dtype, torch.device)
_NAMED = (FunctionType, BuiltinFunctionType, type)
_ACCESS = ("__getattribute__", "__getattr__", "__setattr__")  # stand around what they are asked
_TORCH = str(Path(torch.__file__).parent)


@dataclass
class Site:
    """What one expression of the library called.

    Attributes:
        callees: the library's functions.
        returned: the constants that they returned, and OTHER.
        made: the classes of the modules that were made, and with which arguments.
        gives_module: whether a module was returned.
    """

    callees: dict[CodeType, None] = field(default_factory=dict)
    returned: dict[Any, None] = field(default_factory=dict)
    made: list[tuple[type[torch.nn.Module], Given]] = field(default_factory=list)
    gives_module: bool = False


class Watch:
    """Watches the code of the packages that some modules are from.

    Args:
        packages: their folders, and single files.

    Attributes:
        sites: by file and span, what each expression called.
        counts: how often each instruction ran, by code and offset.
        taken: the values of each function's parameters; those in ``**`` have names too.
        by_name: the names in ``**`` of each function.
        instances: a module of each class.
        owners: the class of each constructor and method that ran, by its code.
        roots: the codes that code from outside the library called, with their frames' arguments.
        pinned: the parameters that code from outside passes, which stay as they are.
        read_outside: the names of attributes that code from outside reads.
        constructors: the code that made each module, with its arguments, by identity.
        mode: whether the model is being trained.
        both_modes: whether the other mode ran too.
        on_cpu: whether all arrays are there, so that calls need not say where theirs are.
        keeps: constructors that made a module or a weight of the module itself.
    """

    def __init__(self, packages: set[str]) -> None:
        self._folders = tuple(packages)
        self.sites: dict[tuple[str, Span], Site] = defaultdict(Site)
        self.counts: dict[CodeType, Counter[int]] = defaultdict(Counter)
        self.taken: dict[CodeType, dict[str, dict[Any, None]]] = {}
        self.by_name: dict[CodeType, dict[str, None]] = defaultdict(dict)
        self.instances: dict[type, torch.nn.Module] = {}
        self.roots: list[tuple[CodeType, dict[str, Any]]] = []
        self.pinned: dict[CodeType, dict[str, None]] = {}
        self.read_outside: list[str] = []
        self.constructors: dict[int, tuple[CodeType, dict[str, Any]]] = {}
        self.keeps: set[CodeType] = set()
        self.mode = False
        self.on_cpu = False
        self.both_modes = False

    def run(self, function: Callable[[], Any]) -> Any:
        """Call a function while the library is watched; its result."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            return function()
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        module = constructed(frame) if code.co_name == "__init__" else None
        if module is not None:
            self._record_made(module, frame)
        if not code.co_filename.startswith(self._folders):
            return None
        if code.co_name in _ACCESS:
            return None
        if _is_wrapper(frame) or code.co_name.startswith("<"):
            frame.f_trace_lines = False
            frame.f_trace_opcodes = code.co_name.startswith("<")
            return self._instruction if frame.f_trace_opcodes else None
        self._record_taken(frame)
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        at, direct = self._caller(frame)
        if module is not None:
            self.constructors.setdefault(id(module), (code, dict(frame.f_locals)))
        if at is None and direct:
            self.roots.append((code, dict(frame.f_locals)))
        site = self.sites[at] if at is not None and direct else None
        if site is not None:
            site.callees[code] = None
        parts = len(_own(module)) if module is not None else 0

        raised = False

        def local(frame: FrameType, event: str, value: Any) -> Any:
            nonlocal raised
            if event == "opcode":
                self.counts[code][frame.f_lasti] += 1
            elif event == "return":
                if site is not None:
                    made = raised or code.co_name == "__init__"
                    site.returned[OTHER if made else constant(value)] = None
                    site.gives_module |= isinstance(value, torch.nn.Module)
                if module is not None and len(_own(module)) > parts:
                    self.keeps.add(code)
            raised = event == "exception"
            return local

        return local

    def _instruction(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            self.counts[frame.f_code][frame.f_lasti] += 1
        return self._instruction

    def _record_taken(self, frame: FrameType) -> None:
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        taken = self.taken.setdefault(code, {})
        values = {name: frame.f_locals[name] for name in code.co_varnames[:count]}
        if code.co_flags & inspect.CO_VARKEYWORDS:
            count += bool(code.co_flags & inspect.CO_VARARGS)
            more = frame.f_locals[code.co_varnames[count]]
            self.by_name[code] |= dict.fromkeys(more)
            values |= more
        for name, value in values.items():
            taken.setdefault(name, {})[constant(value)] = None

    def _record_made(self, module: torch.nn.Module, frame: FrameType) -> None:
        caller = frame.f_back
        if caller is None or constructed(caller) is module:  # a class's base
            return
        self.instances.setdefault(type(module), module)
        given = given_to(module, frame)
        for outer in self._frames(caller):
            self.sites[_at(outer)].made.append((type(module), given))
            if constructed(outer) is not None:
                return

    def _frames(self, frame: FrameType | None) -> Iterator[FrameType]:
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._folders) and not _is_wrapper(frame):
                yield frame
            frame = frame.f_back

    def _caller(self, frame: FrameType) -> tuple[tuple[str, Span] | None, bool]:
        """Where the library calls a frame, and whether only PyTorch is between the two."""
        outer, inner = frame.f_back, frame.f_code
        while outer is not None:
            file = outer.f_code.co_filename
            inside = file.startswith(self._folders)
            if inside and not _is_wrapper(outer):
                return _at(outer), True
            if inside:
                if not _is_around(outer, inner):  # something that a decorator itself calls
                    return None, False
                inner = outer.f_code
            if not inside and not file.startswith(_TORCH):
                return None, next(self._frames(outer), None) is None
            outer = outer.f_back
        return None, True


def _at(frame: FrameType) -> tuple[str, Span]:
    return frame.f_code.co_filename, span_of_call(frame)


def _is_wrapper(frame: FrameType) -> bool:
    """Whether a function only stands around another one: of a decorator, or a ``__call__``."""
    code = frame.f_code
    if code.co_name == "__call__":
        return isinstance(frame.f_locals.get("self"), torch.nn.Module)
    if "<locals>" not in code.co_qualname or not code.co_freevars:
        return False
    around = (frame.f_locals.get(name) for name in code.co_freevars)
    return any(isinstance(value, FunctionType) for value in around)


def _is_around(outer: FrameType, inner: CodeType) -> bool:
    """Whether a wrapper's frame calls what it stands around, or another wrapper of that."""
    if outer.f_code.co_name == "__call__":
        return inner.co_name in ("forward", "__call__") or "<locals>" in inner.co_qualname
    around = (outer.f_locals.get(name) for name in outer.f_code.co_freevars)
    functions = [value for value in around if isinstance(value, FunctionType)]
    return any(inner in (f.__code__, inspect.unwrap(f).__code__) for f in functions)


def constant(value: Any) -> Any:
    """A value that can be written as a literal or a name; OTHER for any other one."""
    if "<locals>" in getattr(value, "__qualname__", ""):  # another function made it
        return OTHER
    return value if isinstance(value, (*_CONSTANT, *_NAMED)) else OTHER


def _own(module: torch.nn.Module) -> list[str]:
    held = vars(module)
    return [n for part in ("_modules", "_parameters", "_buffers") for n in held.get(part, ())]


def positions(code: CodeType) -> list[tuple[int, Span]]:
    """The offsets of a code's instructions, and the spans of their expressions."""
    found = []
    for index, (line, end, column, end_column) in enumerate(islice(code.co_positions(), None)):
        if line is not None and column is not None:
            found.append((2 * index, (line, column, end, end_column)))
    return found
