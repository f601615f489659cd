"""What a program's run called of its own: its functions and its modules, each with one call."""

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
from jaxvstorch._port.at_home import is_ours
from jaxvstorch._port.hooks import remove
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.places import OURS
from jaxvstorch._port.report import Place, PortCall

_CONTAINERS = (torch.nn.Module, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList,
               torch.nn.ParameterDict)  # fmt: skip


@dataclass
class Called:
    """The first call of one of the program's functions or modules.

    Attributes:
        name: of the function, or of the module's class.
        function: what was called; a module as it was before the call.
        args: copies of what it was given.
        kwargs: the same for what was given by name.
        returned: whether it returned.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    returned: bool = False


class Recording:
    """Watches a program whose files lie in one folder.

    Attributes:
        found: what was found at each place.
        given: of the replay, the types of what was given to the call at a place.
        lines: of each file of the program, from which something was called.
        codes: the code of every function of the program that was called.
        calls: the first call of each function and module class that can be called again.
        kinds: the program's classes of modules.
        layers: PyTorch's own modules that were called or are part of what was, by class.
    """

    def __init__(self, file: str) -> None:
        self.folder = Path(file).resolve().parent
        self.found: dict[Place, dict[PortCall, None]] = {}
        self.given: dict[Place, tuple[str, ...]] = {}
        self.codes: dict[CodeType, None] = {}
        self.calls: dict[str, Called] = {}
        self.kinds: dict[type[torch.nn.Module], None] = {}
        self.layers: dict[type[torch.nn.Module], torch.nn.Module] = {}
        self.lines: dict[str, set[int]] = {}
        self._own: dict[str, bool] = {}

    def tell(self, place: Place, found: PortCall) -> None:
        """Keep what a replay found."""
        self.found.setdefault(place, {})[found] = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record what is called of the program's own inside the block."""
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
                remove(hook)

    def own(self, file: str) -> bool:
        """Whether a file is the program's: beside it or below, and not an installed package."""
        if file not in self._own:
            path = Path(file).resolve()
            installed = is_installed(file) or file.startswith(OURS)
            inside = path.is_relative_to(self.folder) and path.is_file()
            self._own[file] = inside and not installed
        return self._own[file]

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        caller = frame if event == "c_call" else frame.f_back if event == "call" else None
        if caller is not None and self.own(caller.f_code.co_filename):
            self.lines.setdefault(caller.f_code.co_filename, set()).add(caller.f_lineno)
        if event != "call" or code in self.codes or not self.own(code.co_filename):
            return
        if is_ours(code) or not code.co_flags & inspect.CO_OPTIMIZED:  # a file's or a class's body
            return
        if not _constructing(frame):  # the draft gets its modules ready made
            self.codes[code] = None
            self._function(frame)

    def _function(self, frame: FrameType) -> None:
        """Keep the arguments of a function of a module's top level."""
        code = frame.f_code
        function = frame.f_globals.get(code.co_name)
        if code.co_qualname != code.co_name or getattr(function, "__code__", None) is not code:
            return
        arguments = inspect.getargvalues(frame)
        if arguments.varargs or arguments.keywords or function is None:
            return
        args = tuple(copied(arguments.locals[name]) for name in arguments.args)
        self.calls[code.co_name] = Called(code.co_name, function, args, returned=True)

    def _before_module(self, module: torch.nn.Module, args: Any) -> None:
        kind = type(module)
        if kind.__module__.startswith("torch.nn."):
            self.layers.setdefault(kind, module)
            return
        if not self.own(sys.modules[kind.__module__].__file__ or ""):
            return
        for part in module.modules():  # from_torch needs a class for what is not called, too
            if type(part).__module__.startswith("torch.nn.") and type(part) not in _CONTAINERS:
                self.layers.setdefault(type(part), part)
        self.kinds |= dict.fromkeys(k for k in kind.__mro__ if self._defines(k))
        if kind.__name__ not in self.calls:
            try:
                before = copy.deepcopy(module)
            except Exception:  # it holds what cannot be copied, or the results of others
                return
            self.calls[kind.__name__] = Called(kind.__name__, before, copied(args))

    def derived(self) -> Iterator[tuple[type[torch.nn.Module], torch.nn.Module]]:
        """PyTorch's own layers that the program derives classes from, each with an instance."""
        found: dict[type[torch.nn.Module], torch.nn.Module] = {}
        for kind in self.kinds:
            one: Any = self.calls[kind.__name__].function if kind.__name__ in self.calls else None
            for base in kind.__mro__ if isinstance(one, torch.nn.Module) else ():
                own = base.__module__.startswith("torch.nn.modules.")
                if own and base not in _CONTAINERS and "forward" in vars(base):
                    found[base] = one
                    break
        yield from found.items()

    def _defines(self, kind: type) -> bool:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return file is not None and self.own(file)

    def _after_module(self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        called = self.calls.get(type(module).__name__)
        if called is not None and not called.returned:
            called.kwargs, called.returned = copied(kwargs), True


def _constructing(frame: FrameType | None) -> bool:
    """Whether a module is being made."""
    while frame is not None:
        if frame.f_code.co_name == "__init__" and isinstance(
            frame.f_locals.get("self"), torch.nn.Module
        ):
            return True
        frame = frame.f_back
    return False
