"""Records the functions and modules of a program that its run calls, with their first calls."""

import copy
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch.nn.modules import module as modules

from jaxvstorch._frameworks.installed import is_installed
from jaxvstorch._port.isolation import is_port_call, remove_hook
from jaxvstorch._port.locations import PORT_FOLDERS
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.report_data import Location, PortCall

_CONTAINERS = (torch.nn.Module, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList,
               torch.nn.ParameterDict)  # fmt: skip


@dataclass
class FirstCall:
    """The first call of one of the program's functions or modules.

    Attributes:
        name: of the function, or of the module's class.
        function: the function; a module as it was before the call.
        args: copies of its positional arguments.
        kwargs: copies of its arguments by name.
        returned: whether it returned.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    returned: bool = False


class Recording:
    """Watches a program whose files are in one folder.

    Attributes:
        calls: the calls that a replay did again, by location.
        argument_types: by location, the types of the arguments of the call there.
        lines: the lines of each of the program's files that called something.
        codes: the code of every function of the program that was called.
        first_calls: the first call of each function and module class that can be called again.
        classes: the program's classes of modules.
        layers: PyTorch's own modules that were called, or are part of a module that was, by class.
    """

    def __init__(self, file: str) -> None:
        self.folder = Path(file).resolve().parent
        self.calls: dict[Location, dict[PortCall, None]] = {}
        self.argument_types: dict[Location, tuple[str, ...]] = {}
        self.codes: dict[CodeType, None] = {}
        self.first_calls: dict[str, FirstCall] = {}
        self.classes: dict[type[torch.nn.Module], None] = {}
        self.layers: dict[type[torch.nn.Module], torch.nn.Module] = {}
        self.lines: dict[str, set[int]] = {}
        self._program_files: dict[str, bool] = {}

    def record(self, location: Location, call: PortCall) -> None:
        """Keep a call that a replay did again."""
        self.calls.setdefault(location, {})[call] = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record the calls of the program's own functions and modules inside the block."""
        hooks = [
            modules.register_module_forward_pre_hook(self._before_module),
            modules.register_module_forward_hook(self._after_module, with_kwargs=True),
        ]
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            for hook in hooks:
                remove_hook(hook)

    def is_program_file(self, file: str) -> bool:
        """Whether a file is the program's: beside it or below, and not an installed package."""
        if file not in self._program_files:
            path = Path(file).resolve()
            installed = is_installed(file) or file.startswith(PORT_FOLDERS)
            inside = path.is_relative_to(self.folder) and path.is_file()
            self._program_files[file] = inside and not installed
        return self._program_files[file]

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        caller = frame if event == "c_call" else frame.f_back if event == "call" else None
        if caller is not None and self.is_program_file(caller.f_code.co_filename):
            self.lines.setdefault(caller.f_code.co_filename, set()).add(caller.f_lineno)
        if event != "call" or code in self.codes or not self.is_program_file(code.co_filename):
            return
        if is_port_call(code) or not code.co_flags & inspect.CO_OPTIMIZED:  # a file, or a class
            return
        if not _is_in_constructor(frame):  # the draft takes modules as they are
            self.codes[code] = None
            self._record_function(frame)

    def _record_function(self, frame: FrameType) -> None:
        """Record the call of a function at the top level of a file."""
        code = frame.f_code
        function = frame.f_globals.get(code.co_name)
        if code.co_qualname != code.co_name or getattr(function, "__code__", None) is not code:
            return
        arguments = inspect.getargvalues(frame)
        if arguments.varargs or arguments.keywords or function is None:
            return
        args = tuple(copied(arguments.locals[name]) for name in arguments.args)
        self.first_calls[code.co_name] = FirstCall(code.co_name, function, args, returned=True)

    def _before_module(self, module: torch.nn.Module, args: Any) -> None:
        cls = type(module)
        if cls.__module__.startswith("torch.nn."):
            self.layers.setdefault(cls, module)
            return
        if not self.is_program_file(sys.modules[cls.__module__].__file__ or ""):
            return
        for part in module.modules():  # from_torch needs classes for parts that are not called, too
            if type(part).__module__.startswith("torch.nn.") and type(part) not in _CONTAINERS:
                self.layers.setdefault(type(part), part)
        self.classes |= dict.fromkeys(c for c in cls.__mro__ if self._defines(c))
        if cls.__name__ not in self.first_calls:
            try:
                before = copy.deepcopy(module)
            except Exception:  # some modules cannot be copied
                return
            self.first_calls[cls.__name__] = FirstCall(cls.__name__, before, copied(args))

    def base_layers(self) -> Iterator[tuple[type[torch.nn.Module], torch.nn.Module]]:
        """PyTorch's own layers that the program derives classes from, each with an instance."""
        instances: dict[type[torch.nn.Module], torch.nn.Module] = {}
        for cls in self.classes:
            call = self.first_calls.get(cls.__name__)
            module: Any = call.function if call is not None else None
            for base in cls.__mro__ if isinstance(module, torch.nn.Module) else ():
                is_layer = base.__module__.startswith("torch.nn.modules.")
                if is_layer and base not in _CONTAINERS and "forward" in vars(base):
                    instances[base] = module
                    break
        yield from instances.items()

    def _defines(self, cls: type) -> bool:
        """Whether a class is defined in a file of the program."""
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return file is not None and self.is_program_file(file)

    def _after_module(self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        call = self.first_calls.get(type(module).__name__)
        if call is not None and not call.returned:
            call.kwargs, call.returned = copied(kwargs), True


def _is_in_constructor(frame: FrameType | None) -> bool:
    """Whether a frame runs inside a module's ``__init__``."""
    while frame is not None:
        if frame.f_code.co_name == "__init__" and isinstance(
            frame.f_locals.get("self"), torch.nn.Module
        ):
            return True
        frame = frame.f_back
    return False
