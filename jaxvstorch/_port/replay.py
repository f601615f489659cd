"""Watches the calls of a PyTorch program, and does each again in JAX."""

import ast
import inspect
import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from types import FrameType
from typing import Any, Self
from unittest.mock import patch

import torch
from torch.nn.modules import module as modules
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode

from jaxvstorch._port import LIMIT, hidden
from jaxvstorch._port.aliasing import Writes
from jaxvstorch._port.filling import node_at
from jaxvstorch._port.isolation import call_from, remove_hook, unseen
from jaxvstorch._port.judging import judge_module
from jaxvstorch._port.locations import (
    calling_frame,
    calling_location,
    program_frame,
    program_location,
)
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.running.call import Call, copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.module_calls import HOOKED, ModuleCall, are_same, is_of_pytorch, row_of
from jaxvstorch._port.naming import QUIET, name_of
from jaxvstorch._port.optimizer_steps import OptimizerSteps
from jaxvstorch._port.outcome import Outcome
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus
from jaxvstorch._port.shorter_forms import ShorterForms
from jaxvstorch._port.translation import (
    argument_types,
    function_in_jax,
    module_in_jax,
    optimizer_in_jax,
)
from jaxvstorch._port.undefined import Undefined


class Replay(TorchFunctionMode):
    """Does each call of PyTorch again in JAX, and reports by source line.

    The program keeps its results, its random numbers and its errors. JAX gets copies of a call's
    arguments from before the call, since the call may change them. A replay does not see calls of
    other threads, nor those of processes that the program forks.

    Args:
        limit: how many calls of one name on one line are done again; the rest is counted.
        record: called with each call that was done again, and its location.
        around_spawned: makes what runs in processes that ``torch.multiprocessing.spawn`` starts.

    Attributes:
        report: the calls by source line.
        argument_types: at each location, the types of the arguments of the call there.
        shorter_forms: which calls can be written shorter.
    """

    def __init__(
        self,
        limit: int = LIMIT,
        record: Callable[[Location, PortCall], None] | None = None,
        around_spawned: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: (
            function
        ),
    ) -> None:
        super().__init__()
        self.report = PortReport()
        self.limit = limit
        self.argument_types: dict[Location, tuple[str, ...]] = {}
        self.shorter_forms = ShorterForms()
        self._record = record
        self._around_spawned = around_spawned
        self._times: Counter[tuple[Location, str]] = Counter()
        self._busy = False  # while JAX computes, and PyTorch's own code may be called
        self._process = os.getpid()
        self._module: ModuleCall | None = None  # of the map's module that is being called
        # PyTorch's other modules that are being called, and how many calls there were before.
        self._composed: list[tuple[torch.nn.Module, Location, int]] = []
        self._steps = OptimizerSteps(limit)
        self._undefined = Undefined()
        self._hooks = ExitStack()

    def __enter__(self) -> Self:
        for hook in (
            modules.register_module_forward_pre_hook(self._before_module),
            modules.register_module_forward_hook(
                self._after_module, with_kwargs=True, always_call=True
            ),
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ):
            self._hooks.callback(remove_hook, hook)
        # A compiled function must run as it is written for its calls to be seen.
        self._hooks.enter_context(torch.compiler.set_stance("force_eager"))
        self._hooks.enter_context(hidden.watching(self._notice, self._around_spawned))
        self._hooks.enter_context(patch.object(torch, "from_numpy", self._of_numpy()))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self._hooks.close()

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return self._called(function, args, kwargs or {}, calling_frame(1))

    def _of_numpy(self) -> Callable[..., Any]:
        """``torch.from_numpy``, whose calls no mode sees."""
        function = torch.from_numpy

        @wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            return self._called(function, args, kwargs, calling_frame(1))

        return watched

    def _called(self, function: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """The result of a call of the program, which is done again in JAX."""
        location = None
        if function == _READ_DATA and (read := calling_location(frame)) is not None:
            self._remember_types(read, ("Tensor",))
        if not self._idle and self._module is None and _name(function) not in QUIET:
            location = calling_location(frame)
        name, reflected = name_of(function) if location is not None else ("", False)
        self.shorter_forms.see(name, location, args, kwargs)
        if location is None or not self._is_within_limit(location, name):
            return call_from(frame, function, args, kwargs)
        call = Call(function, *_copies((args, kwargs)))
        writes = Writes(args, kwargs)
        result = call_from(frame, function, args, kwargs)
        if reflected:
            call.args = (call.args[1], call.args[0], *call.args[2:])
        becomes = _text_or_none(lambda: function_in_jax(name, location, call, result))
        self._remember_types(location, argument_types(call))
        others = ""
        if writes.written(name):
            index = args[1] if name == "Tensor.__setitem__" else None
            others = writes.others(name, program_frame(), node_at(location), index)

        def outcome() -> Outcome:
            judged = self._undefined.judge(name, call, (args, kwargs), result)
            return judged.with_others(others)

        self._add(location, name, becomes, outcome)
        return result

    def _notice(self, row: str, name: str, frame: FrameType) -> None:
        """Report a call that PyTorch hides, and that a port does another way."""
        location = None if self._idle else calling_location(frame)
        if location is not None and self._is_within_limit(location, name):
            note = hidden.note_of(row, name)
            self._add(location, name, None, lambda: Outcome(PortStatus.ANOTHER_WAY, note))

    def _remember_types(self, location: Location, types: tuple[str, ...]) -> None:
        known = self.argument_types.setdefault(location, types)
        if known != types:  # a type that changes between calls is not known
            self.argument_types[location] = tuple(
                a if a == b else "" for a, b in zip(known, types, strict=False)
            )

    @property
    def _idle(self) -> bool:
        # JAX must not be used in a fork of a process that used it.
        return self._busy or os.getpid() != self._process

    def _is_within_limit(self, location: Location, name: str) -> bool:
        self._times[location, name] += 1
        if self._times[location, name] > self.limit:
            self.report.beyond += 1
            return False
        return True

    def _add(
        self, location: Location, name: str, becomes: str | None, outcome: Callable[[], Outcome]
    ) -> None:
        self._busy = True
        try:
            with unseen():
                try:
                    call = PortCall(name, becomes, *outcome())
                except Exception as error:  # the program must not get an error of port
                    call = PortCall(name, becomes, PortStatus.FAILED, error_text(error))
        finally:
            self._busy = False
        self.report.add(location, call)
        if self._record is not None:
            self._record(location, call)

    def _before_module(self, module: torch.nn.Module, args: Any) -> None:
        if self._idle or self._module is not None or not is_of_pytorch(module):
            return
        row, location = row_of(module), program_location()
        if location is None:
            return
        self.shorter_forms.see(row.name if row else "", module, args, {})
        if row is None or row.expression is None:
            self._composed.append((module, location, self._times.total()))
        elif self._is_within_limit(location, row.name):
            call = Call(module, _copies(args))
            self._module = ModuleCall(module, row, location, call, args, Writes(args, {}))

    def _after_module(
        self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any = None
    ) -> None:
        # Where the module raised, PyTorch leaves out the keyword arguments.
        if self._composed and self._composed[-1][0] is module:
            _, location, times = self._composed.pop()
            if result is not None and times == self._times.total():
                self._add_unreplayed(module, location)
        of = self._module
        if of is None or module is not of.module:
            return
        self._module = None
        if result is None:  # it raised
            return
        of.call.kwargs = _copies(kwargs)
        hooked = False
        if any(a is not b for a, b in zip(args, of.args, strict=False)):
            before, of.call.args = of.call.args, _copies(args)
            hooked = not are_same(before, of.call.args)
        becomes = _text_or_none(lambda: module_in_jax(of.row, of.location, module))
        others = of.writes.others(of.row.name, program_frame(), ast.Pass())

        def outcome() -> Outcome:
            judged = judge_module(of.row, module, of.call, result).with_others(others)
            return judged.with_notes(HOOKED if hooked else "")

        self._add(of.location, of.row.name, becomes, outcome)

    def _add_unreplayed(self, module: torch.nn.Module, location: Location) -> None:
        """Report a module of PyTorch's whose own line, or parts, say nothing in JAX."""
        row, name = row_of(module), f"torch.nn.{type(module).__name__}"
        if self._is_within_limit(location, name):
            status = PortStatus.UNKNOWN if row is None else PortStatus.ANOTHER_WAY
            note = (row and row.option("instead")) or ""
            self._add(location, name, None, lambda: Outcome(status, note))

    def _before_step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> Any:
        """Take the step in optax; a closure computes the gradients first."""
        given = inspect.signature(optimizer.step).bind_partial(*args[1:], **kwargs).arguments
        closure = given.get("closure")
        if closure is None:
            self._take_step(optimizer)
            return None

        @wraps(closure)
        def then_step() -> Any:
            loss = closure()
            self._take_step(optimizer)
            return loss

        given["closure"] = then_step
        return args[:1], given

    def _take_step(self, optimizer: torch.optim.Optimizer) -> None:
        if self._idle:
            return
        self._busy = True
        try:
            with unseen():
                self._steps.before(optimizer)
        finally:
            self._busy = False

    def _after_step(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        location = None if self._idle else program_location()
        if location is None:
            return
        self._busy = True
        try:
            with unseen():
                outcome = self._steps.after(optimizer)
        finally:
            self._busy = False
        if outcome is None:
            self.report.beyond += 1
            return
        row = rows().get(name := f"torch.optim.{type(optimizer).__name__}")
        becomes = _text_or_none(lambda: optimizer_in_jax(row, location, optimizer) if row else None)
        self._add(location, name, becomes, lambda: outcome)


def _copies(arguments: Any) -> Any:
    """Copies of a call's arguments; the arguments themselves where they cannot be copied."""
    try:
        with unseen():
            return copied(arguments)
    except Exception:
        return arguments


def _text_or_none(write: Callable[[], str | None]) -> str | None:
    """The JAX for a call; None where writing it fails."""
    try:
        with unseen():
            return write()
    except Exception:  # the program must not get an error of port
        return None


_READ_DATA = torch.Tensor.data.__get__  # type: ignore[attr-defined]


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")
