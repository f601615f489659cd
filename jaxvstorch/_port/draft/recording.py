"""Records the functions and modules of a program that its run calls, with their first calls."""

import inspect
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import torch
from torch.nn.modules import module as modules

from jaxvstorch._port.draft.attributes import attributes_read, lists_of_results, values_of
from jaxvstorch._port.draft.frames import (
    argument_types,
    constructed,
    function_and_arguments,
    is_in_constructor,
    is_of_module,
    maker_of,
    outside_of_torch,
)
from jaxvstorch._port.draft.layers import is_known
from jaxvstorch._port.draft.places import Places
from jaxvstorch._port.draft.recorded import (
    FirstCall,
    Given,
    MadeOptimizer,
    Steps,
    deeply_copied,
    detached,
    full_name,
    given_like,
    given_to,
    has_gradients,
    kind_of,
)
from jaxvstorch._port.filling import Span
from jaxvstorch._port.isolation import is_port_call, remove_hook
from jaxvstorch._port.judging import OF_VALUES
from jaxvstorch._port.locations import span_of_call
from jaxvstorch._port.map.running.call import copied, flat
from jaxvstorch._port.report_data import Location, PortCall

STEPS = 3  # of each place that are compared
KINDS = 6  # of calls of another package's class


class Recording(Places):
    """Watches a program whose files are in one folder.

    Attributes:
        calls: the calls that a replay did again, by location.
        argument_types: by location, the types of the arguments of the call there.
        shorter: whether a shorter form held in all calls at a location, or of a module.
        lines: the lines of each of the program's files that called something.
        codes: the code of every function of the program that was called.
        first_calls: the first call of each function and module class that can be called again.
        constructions: the classes of modules that each call in a file made, by file and span.
        construction_types: the types of the arguments of each such call, by parameter.
        made_at: the file and span of the call that made each module.
        passing: the calls in constructors and below that make modules or lead to one.
        builders: the functions that constructors call to make modules.
        steps: the steps of each call of ``backward``, by file and span.
        optimizers: the optimizers that each call in a file made, by file and span.
        evaluations: the calls of modules that take no gradient, with the shapes of what is given.
        instances: a module of each of the program's classes that was made.
        of_libraries: the modules of other packages that the program's own lines made, by class,
            with the first calls by those lines, each of another kind.
        left_out: why the classes of another package are not in the draft, by the package's name.
        extracted: what was extracted of other packages: the file, and words for what it has.
        settings: the names of the classes of settings in these files, with their fields.
        names: of the draft's helpers, where the program has others of their names.
        changed: what each function of a draft in another style returns after its own result.
        functions: of each class, in a draft in functions: what makes its weights, what it is
            called by, and the settings that differ.
        renamed: the names that variables of models have there.
        state: the names of arrays that no optimizer changes.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.calls: dict[Location, dict[PortCall, None]] = {}
        self.argument_types: dict[Location, tuple[str, ...]] = {}
        self.shorter: dict[Any, bool] = {}
        self.made_at = weakref.WeakKeyDictionary[torch.nn.Module, tuple[str, Span]]()
        self.codes: dict[CodeType, None] = {}
        self.first_calls: dict[str, FirstCall] = {}
        self.lines: dict[str, set[int]] = {}
        self.constructions: dict[tuple[str, Span], dict[type[torch.nn.Module], None]] = {}
        self.construction_types: dict[tuple[str, Span], dict[str, str]] = {}
        self.passing: set[tuple[str, Span]] = set()
        self.builders: set[CodeType] = set()
        self.steps: dict[tuple[str, Span], Steps] = {}
        self.optimizers: dict[tuple[str, Span], list[MadeOptimizer]] = {}
        self.evaluations: dict[tuple[str, Span], set[tuple[tuple[int, ...] | None, ...]]] = {}
        self.instances: dict[type[torch.nn.Module], torch.nn.Module] = {}
        self.of_libraries: dict[type[torch.nn.Module], list[FirstCall]] = {}
        self.left_out: dict[str, str] = {}
        self.extracted: dict[str, str] = {}
        self.settings: dict[str, list[str]] = {}
        self._made_with: weakref.WeakKeyDictionary[torch.nn.Module, Given] = (
            weakref.WeakKeyDictionary()
        )
        self.names: dict[str, str] = {}
        self.changed: dict[str, tuple[str, ...]] = {}
        self.functions: dict[str, tuple[Any, ...]] = {}
        self.renamed: dict[str, str] = {}
        self.state: list[str] = []

    def record(self, location: Location, call: PortCall) -> None:
        """Keep a call that a replay did again."""
        self.calls.setdefault(location, {})[call] = None
        if OF_VALUES in call.note:
            self.record_of_values(call.name, sys._getframe(1))

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

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code is _OPTIMIZER:
            self._record_optimizer(frame)
        elif event == "call" and code is _AUTOCAST:
            self.record_autocast(frame)
        elif event == "call" and code.co_name == "__init__":
            self._record_construction(frame)
            self.record_made(frame)
        elif event == "call" and code is _BACKWARD:
            self._record_step(frame)
        elif event == "call" and code is _STEP:
            self.record_step_taken(frame)
        elif event == "call" and code is _LOADER:
            self.record_loader(frame)
        elif event == "call" and code.co_name in ("sample", "rsample"):
            self.record_draw(frame)
        elif event == "call" and code.co_name in ("state_dict", "load_state_dict"):
            self.record_saving(frame)
        elif event == "call" and code.co_name == "<module>":
            self.record_main(frame)
        caller = frame if event == "c_call" else frame.f_back if event == "call" else None
        if caller is not None and self.is_program_file(caller.f_code.co_filename):
            self.lines.setdefault(caller.f_code.co_filename, set()).add(caller.f_lineno)
        if event != "call" or code in self.codes or not self.is_program_file(code.co_filename):
            return
        if is_port_call(code) or not code.co_flags & inspect.CO_OPTIMIZED:  # a file, or a class
            return
        if not is_in_constructor(frame):  # the draft takes modules as they are
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

    def _record_construction(self, frame: FrameType) -> None:
        """Record which call of the program made a module, and with which arguments."""
        module = constructed(frame)
        caller = maker_of(module, frame) if module is not None else None
        # The first `__init__` has what the module was made with; that of a base comes later, with
        # functions of PyTorch's or of a library's between them.
        if module is None or caller is None or module in self._made_with:
            return
        given = given_to(module, frame)
        for value in flat((given.args, given.kwargs)):
            if isinstance(value, torch.nn.Module) and value in self._made_with:
                given.inner |= {id(value): self._made_with[value]}
        self._made_with[module] = given
        if self._defines(type(module)):
            self.instances.setdefault(type(module), module)
        if self.is_program_file(caller.f_code.co_filename):
            at = (caller.f_code.co_filename, span_of_call(caller))
            self.constructions.setdefault(at, {})[type(module)] = None
            self.made_at[module] = at
            self.construction_types.setdefault(at, argument_types(frame))
            if not self._defines(type(module)) and not is_known(full_name(type(module))):
                self.of_libraries.setdefault(type(module), [])
        frames = list(self.program_frames(caller))
        inside = [i for i, f in enumerate(frames) if constructed(f) is not None]
        for f in frames[: inside[-1] + 1] if inside else ():
            self.passing.add((f.f_code.co_filename, span_of_call(f)))
            if f.f_code.co_name != "__init__" and f.f_code.co_flags & inspect.CO_OPTIMIZED:
                self.builders.add(f.f_code)

    def _record_step(self, frame: FrameType) -> None:
        """Record what the first calls of ``backward`` at one place can read."""
        caller = frame.f_back
        if caller is None or not self.is_program_file(caller.f_code.co_filename):
            return
        at = (caller.f_code.co_filename, span_of_call(caller))
        if not is_port_call(caller.f_code):
            self.backward_frame = (id(caller), caller.f_code)
        seen = caller.f_globals | caller.f_locals
        known = self.steps.get(at)
        attributes = attributes_read(caller) if known is None else known.attributes
        seen |= values_of(attributes, seen)
        if at not in self.steps:
            kinds = {name: kind_of(value) for name, value in seen.items()}
            trained = {n: seen[n] for n, kind in kinds.items() if kind in ("module", "optimizer")}
            try:
                before = deeply_copied(trained, detached(trained))
            except Exception:  # some modules cannot be copied
                before = {}
            self.steps[at] = Steps(kinds, before, namespace=seen, attributes=attributes)
            self.steps[at].lists = lists_of_results(caller)
        steps, loss = self.steps[at], frame.f_locals["self"]
        if len(steps.losses) < STEPS:
            steps.adding |= {n for n, value in seen.items() if has_gradients(value)}
            arrays = {name: copied(v) for name, v in seen.items() if kind_of(v) == "array"}
            steps.arrays.append(arrays)
            steps.losses.append(loss.item() if loss.numel() == 1 else float("nan"))

    def _record_optimizer(self, frame: FrameType) -> None:
        caller = next(self.program_frames(frame.f_back), None)
        if caller is None:
            return
        given = frame.f_locals["params"]
        groups = given if isinstance(given, list | tuple) else []
        settings = [set(group) - {"params"} for group in groups if isinstance(group, dict)]
        namespace = caller.f_locals | {  # what is local stands first
            name: v for name, v in caller.f_globals.items() if name not in caller.f_locals
        }
        attributes = attributes_read(caller)
        namespace |= values_of(attributes, namespace)
        function = function_and_arguments(caller)
        made = MadeOptimizer(frame.f_locals["self"], settings, namespace, function, attributes)
        at = (caller.f_code.co_filename, span_of_call(caller))
        self.optimizers.setdefault(at, []).append(made)

    def _before_module(self, module: torch.nn.Module, args: Any) -> None:
        cls = type(module)
        if not self._defines(cls):
            return
        if not torch.is_grad_enabled():
            self._record_evaluation(sys._getframe(1), args)
        if cls.__name__ not in self.first_calls:
            try:
                before = deeply_copied({"": module})[""]
            except Exception:  # some modules cannot be copied
                return
            self.first_calls[cls.__name__] = FirstCall(
                cls.__name__, before, copied(args), made_with=given_like(module, self._made_with)
            )

    def _record_evaluation(self, frame: FrameType, args: Any) -> None:
        """Record a call of a module that takes no gradient, but not by another module."""
        caller = next(self.program_frames(frame), None)
        if caller is None or is_of_module(caller):
            return
        at = (caller.f_code.co_filename, span_of_call(caller))
        shapes = (tuple(v.shape) if isinstance(v, torch.Tensor) else None for v in flat(args))
        self.evaluations.setdefault(at, set()).add(tuple(shapes))

    def _defines(self, cls: type) -> bool:
        """Whether a class is defined in a file of the program."""
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return file is not None and self.is_program_file(file)

    def _after_module(self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        if type(module) in self.of_libraries:
            self._record_of_library(sys._getframe(1), module, args, kwargs)
            return
        call = self.first_calls.get(type(module).__name__)
        if call is not None and not call.returned:
            call.kwargs, call.returned = copied(kwargs), True

    def _record_of_library(
        self, frame: FrameType, module: torch.nn.Module, args: Any, kwargs: Any
    ) -> None:
        """Record a call of another package's module by the program's own lines."""
        calls, given = self.of_libraries[type(module)], self._made_with.get(module)
        known = {call.kind for call in calls}
        caller = outside_of_torch(frame)
        if given is None or len(calls) == KINDS or caller is None:
            return
        call = FirstCall(type(module).__name__, module, args, kwargs, True, given)
        if call.kind in known or not self.is_program_file(caller.f_code.co_filename):
            return
        try:
            call.function = deeply_copied({"": module}, detached({"": module}))[""]
        except Exception:  # some modules cannot be copied
            return
        call.args, call.kwargs = copied(args), copied(kwargs)
        calls.append(call)


_AUTOCAST = torch.autocast.__init__.__code__
_BACKWARD = torch.Tensor.backward.__code__
_OPTIMIZER = torch.optim.Optimizer.__init__.__code__
_STEP = torch.optim.Optimizer.profile_hook_step(lambda: None).__code__
_LOADER = torch.utils.data.DataLoader.__iter__.__code__
