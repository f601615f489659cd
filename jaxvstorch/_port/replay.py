"""Watches the calls of a PyTorch program, and does each again in JAX."""

import ast
import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

import torch
from torch.nn.modules import module as modules
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode

from jaxvstorch._port import LIMIT
from jaxvstorch._port.aliasing import Writes
from jaxvstorch._port.filling import node_at
from jaxvstorch._port.isolation import call_from, remove_hook, unseen
from jaxvstorch._port.judging import judge, judge_module
from jaxvstorch._port.locations import (
    calling_frame,
    calling_location,
    program_frame,
    program_location,
)
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.running.call import Call, copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.naming import QUIET, name_of
from jaxvstorch._port.optimizer_steps import OptimizerSteps
from jaxvstorch._port.outcome import Outcome
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus
from jaxvstorch._port.translation import (
    argument_types,
    function_in_jax,
    module_in_jax,
    optimizer_in_jax,
)


class Replay(TorchFunctionMode):
    """Does each call of PyTorch again in JAX, and reports by source line.

    The program keeps its results, its random numbers and its errors. JAX gets copies of a call's
    arguments from before the call, since the call may change them. A replay does not see calls of
    other threads, nor those of processes that the program forks.

    Args:
        limit: how many calls of one name on one line are done again; the rest is counted.
        record: called with each call that was done again, and its location.

    Attributes:
        report: the calls by source line.
        argument_types: at each location, the types of the arguments of the call there.
    """

    def __init__(
        self, limit: int = LIMIT, record: Callable[[Location, PortCall], None] | None = None
    ) -> None:
        super().__init__()
        self.report = PortReport()
        self.limit = limit
        self.argument_types: dict[Location, tuple[str, ...]] = {}
        self._record = record
        self._times: Counter[tuple[Location, str]] = Counter()
        self._busy = False  # while JAX computes, and PyTorch's own code may be called
        self._process = os.getpid()
        self._module: torch.nn.Module | None = None  # the map's module that is being called
        self._module_call: tuple[Location, Call] | None = None
        self._module_writes = Writes((), {})
        self._steps = OptimizerSteps(limit)
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
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self._hooks.close()

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs, frame = kwargs or {}, calling_frame(1)
        location = None
        if not self._idle and self._module is None and _name(function) not in QUIET:
            location = calling_location(frame)
        name, reflected = name_of(function) if location is not None else ("", False)
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
        self._add(location, name, becomes, lambda: judge(name, call, result).with_others(others))
        return result

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
        if self._idle or self._module is not None:
            return
        row = rows().get(f"torch.nn.{type(module).__name__}")
        if (
            row is None
            or row.expression is None
            or not type(module).__module__.startswith("torch.nn.")
        ):
            return
        location = program_location()
        if location is None or not self._is_within_limit(location, row.name):
            return
        self._module = module
        self._module_call = (location, Call(module, _copies(args)))
        self._module_writes = Writes(args, {})

    def _after_module(self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        if module is not self._module or self._module_call is None:
            return
        location, call = self._module_call
        self._module = self._module_call = None
        if result is None:  # it raised
            return
        row = rows()[f"torch.nn.{type(module).__name__}"]
        call.kwargs = _copies(kwargs)
        becomes = _text_or_none(lambda: module_in_jax(row, location, module))
        others = self._module_writes.others(row.name, program_frame(), ast.Pass())
        self._add(
            location,
            row.name,
            becomes,
            lambda: judge_module(row, module, call, result).with_others(others),
        )

    def _before_step(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
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


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")
