"""Watches what a PyTorch program calls, and does each call again in JAX."""

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

from jaxvstorch._port import LIMIT, at_home
from jaxvstorch._port.agreeing import Judged
from jaxvstorch._port.apart import before, text_or_none, unseen, whatever_comes
from jaxvstorch._port.becoming import becoming, kinds
from jaxvstorch._port.filling import filled_module
from jaxvstorch._port.hooks import remove
from jaxvstorch._port.judging import judge, judge_module, made_with
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.naming import QUIET, name_of
from jaxvstorch._port.places import called_from, calling, outer_caller
from jaxvstorch._port.report import Place, PortCall, PortReport
from jaxvstorch._port.silence import silent
from jaxvstorch._port.stepping import Steps


class Replay(TorchFunctionMode):
    """Does each call of PyTorch again in JAX, and reports by source line.

    The program keeps its results, its random numbers and its errors: JAX gets copies of what each
    call is given, taken before the call, for the call may change it. Calls of other threads, and of
    processes that the program forks, are not seen.

    Args:
        limit: how many calls of one name on one line are done again; the rest is counted.
        tell: called with each place and what was found there.

    Attributes:
        report: what was found.
        kinds: at each place, the types of what was given to the call there.
    """

    def __init__(
        self, limit: int = LIMIT, tell: Callable[[Place, PortCall], None] | None = None
    ) -> None:
        super().__init__()
        self.report = PortReport()
        self.limit = limit
        self.kinds: dict[Place, tuple[str, ...]] = {}
        self._tell = tell
        self._seen: Counter[tuple[Place, str]] = Counter()
        self._busy = False  # while JAX computes, and PyTorch's own code may be called
        self._process = os.getpid()
        self._module: torch.nn.Module | None = None  # one of the map's that is being called
        self._module_call: tuple[Place, Call] | None = None
        self._steps = Steps(limit)
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
            self._hooks.callback(remove, hook)
        # A compiled function runs as it is written: its calls would not be seen otherwise.
        self._hooks.enter_context(torch.compiler.set_stance("force_eager"))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self._hooks.close()

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs, frame = kwargs or {}, calling(1)
        place = None
        if not self._idle and self._module is None and _name(function) not in QUIET:
            place = called_from(frame)
        name, turned = name_of(function) if place is not None else ("", False)
        if place is None or not self._wanted(place, name):
            return at_home.called(frame, function, args, kwargs)
        call = Call(function, *before((args, kwargs)))
        result = at_home.called(frame, function, args, kwargs)
        if turned:
            call.args = (call.args[1], call.args[0], *call.args[2:])
        becomes = text_or_none(lambda: becoming(name, place, call, result))
        self._remember(place, kinds(call))
        self._add(place, name, becomes, lambda: judge(name, call, result))
        return result

    def _remember(self, place: Place, given: tuple[str, ...]) -> None:
        known = self.kinds.setdefault(place, given)
        if known != given:  # what is not so on every call is not known
            self.kinds[place] = tuple(
                a if a == b else "" for a, b in zip(known, given, strict=False)
            )

    @property
    def _idle(self) -> bool:
        # JAX must not be used in a fork of a process that used it.
        return self._busy or os.getpid() != self._process

    def _wanted(self, place: Place, name: str) -> bool:
        self._seen[place, name] += 1
        if self._seen[place, name] > self.limit:
            self.report.beyond += 1
            return False
        return True

    def _add(
        self, place: Place, name: str, becomes: str | None, judged: Callable[[], Judged]
    ) -> None:
        self._busy = True
        try:
            with silent(), unseen():
                found = PortCall(name, becomes, *whatever_comes(judged))
        finally:
            self._busy = False
        self.report.add(place, found)
        if self._tell is not None:
            self._tell(place, found)

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
        place = outer_caller()
        if place is None or not self._wanted(place, row.name):
            return
        self._module = module
        self._module_call = (place, Call(module, before(args)))

    def _after_module(self, module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        if module is not self._module or self._module_call is None:
            return
        place, call = self._module_call
        self._module = self._module_call = None
        if result is None:  # it raised
            return
        row = rows()[f"torch.nn.{type(module).__name__}"]
        call.kwargs = before(kwargs)
        becomes = text_or_none(lambda: _module_text(row, place, module))
        self._add(place, row.name, becomes, lambda: judge_module(row, module, call, result))

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
        place = None if self._idle else outer_caller()
        if place is None:
            return
        self._busy = True
        try:
            with unseen():
                found = self._steps.after(optimizer)
        finally:
            self._busy = False
        if found is None:
            self.report.beyond += 1
            return
        row = rows().get(name := f"torch.optim.{type(optimizer).__name__}")
        becomes = text_or_none(lambda: _optimizer_text(row, place, optimizer) if row else None)
        self._add(place, name, becomes, lambda: found)


def _module_text(row: Row, place: Place, module: torch.nn.Module) -> str | None:
    """The JAX for a call of a module."""
    defaults = {name: value for name, value in row.parameters.items() if value is not None}
    made = {name: _constant(value) for name, value in made_with(row, module).items()}
    text = filled_module(row, place, defaults | made)
    if text and "BatchNorm" in row.name and getattr(module, "running_mean", None) is not None:
        return text.replace(", None)", f", use_running_average={not module.training})")
    return text


def _optimizer_text(row: Row, place: Place, optimizer: torch.optim.Optimizer) -> str | None:
    """The JAX for an optimizer, with the settings of its first group."""
    group = optimizer.param_groups[0].items()
    made = {name: _constant(value) for name, value in group if name != "params"}
    return filled_module(meaning(row), place, made)


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")


def _constant(value: Any) -> ast.expr:
    """A value as it would be written."""
    try:
        return ast.parse(repr(value), mode="eval").body
    except SyntaxError:
        return ast.Name("...", ast.Load())
