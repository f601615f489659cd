"""Calls a function once under ``torch.compile``, and records what happens."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

import torch
from torch import fx
from torch.nn.parameter import is_lazy

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.bytecode import REST
from jaxvstorch._explain.python.recorder import Recorder, Visits
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.python.unwrap import uncompiled
from jaxvstorch._explain.subject import Subject
from jaxvstorch._explain.torch import dynamo, interventions
from jaxvstorch._explain.torch.call_record import CallRecord, Frame, Reading
from jaxvstorch._explain.torch.interventions import breaks_silenced
from jaxvstorch._explain.torch.undo import Undo


def trace(
    subject: Subject,
    shown_files: ShownFiles,
    record: CallRecord,
    recorder: Recorder,
    begin: Callable[[Reading], None],
) -> None:
    """Compile and call a function once; each graph runs as it is, without Inductor.

    Args:
        subject: the function and its arguments.
        shown_files: whose lines are shown.
        record: filled with what the call shows.
        recorder: watches what Python runs of the function.
        begin: called when Dynamo begins to read a function.
    """

    def keep(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        record.graphs.append(graph)
        record.frame_of_graph.append(record.frames[-1])
        record.inputs.append(inputs)
        record.guards |= dynamo.guards()
        return partial(_run, record, graph)

    undo = Undo(keep)
    tracing = _Tracing(record, undo, begin)
    function = subject.function
    original: Callable[..., Any] = uncompiled(function)
    if isinstance(original, torch.nn.Module) and uncompiled(original.forward) != original.forward:
        function, original = original.forward, uncompiled(original.forward)
    options = dynamo.options(function)
    interventions.leave_alone(*recorder.trace_functions)
    with (
        interventions.module_restored(original),
        interventions.around_each_frame(keep, tracing.compiling),
    ):
        # Dynamo's rules may name a function of an installed package, and would not know its copy.
        is_known = shown_files.is_installed or _calls_itself(original)
        to_compile = original if is_known else _with_copied_code(original)
        compiled: Any = torch.compile(to_compile, backend=keep, **options)
        try:
            with recorder:
                compiled(*subject.args, **subject.kwargs)
        except Exception as error:  # raised by the function, which is part of what is explained
            record.error = error
        finally:
            undo.take_back()


class _Tracing:
    """What Dynamo reads during the call, put into the record."""

    def __init__(self, record: CallRecord, undo: Undo, begin: Callable[[Reading], None]) -> None:
        self._record, self._undo, self._begin = record, undo, begin

    @contextmanager
    def compiling(self, entered: Any, caller: FrameType) -> Iterator[Frame]:
        """Record one frame that Dynamo is asked to compile."""
        callers = _callers(entered.f_code, caller)
        frame = Frame(entered.f_code, dynamo.is_left_out(entered), callers)
        self._record.frames.append(frame)
        with (
            _untraced(),
            self._undo.frame(entered),
            dynamo.reported() as (frame.breaks, frame.failures),
            interventions.lines_traced(self._read),
            interventions.without_limits(),
            breaks_silenced(),
        ):
            yield frame

    def _read(self, translator: Any, code: CodeType, line: int) -> None:
        frame = self._record.frames[-1]
        frame.stack = dynamo.stack(translator, line)
        frame.read.add((code.co_filename, code.co_firstlineno))
        reading = self._reading(translator, code)
        reading.visits.line(line, translator.instruction_pointer or 0)

    def _reading(self, translator: Any, code: CodeType) -> Reading:
        """What Dynamo reads of one function; a new attempt to compile begins anew."""
        compiling, attempt = dynamo.attempt()
        if self._record.attempts.get(compiling) != attempt:
            self._record.attempts[compiling] = attempt
            self._record.readings[compiling] = {}
        readings = self._record.readings[compiling]
        if translator not in readings:
            variables = dict(getattr(translator, "f_locals", None) or {})
            visits = Visits(code.co_name, statements.read(code.co_filename))
            readings[translator] = Reading(code, translator.f_globals, variables, visits)
            self._begin(readings[translator])
        return readings[translator]


def _callers(code: CodeType, caller: FrameType | None) -> list[Location]:
    """The lines of Python between the explained call and what is compiled now.

    What a function was at when its rest was entered, after a graph break, is none of them.
    """
    locations: list[Location] = []
    while caller is not None and caller.f_code is not trace.__code__:
        if not code.co_name.startswith(REST):
            locations.append((caller.f_code.co_filename, caller.f_lineno))
        code, caller = caller.f_code, caller.f_back
    return locations[::-1]


@contextmanager
def _untraced() -> Iterator[None]:
    """A block in which no trace function is called: Dynamo's own functions are many."""
    before = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(before)


def _calls_itself(function: Any) -> bool:
    """Whether a copy of the function would call the original."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return code is not None and function.__name__ in (*code.co_names, *code.co_freevars)


def _with_copied_code(function: Any) -> Any:
    """The same function or method with a copy of its code.

    Dynamo remembers by the code what it compiled and what it gave up. The copy starts without that,
    and the reader's function keeps it.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        return MethodType(_with_copied_code(function.__func__), function.__self__)
    if not isinstance(function, FunctionType):
        return function
    copy = FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(copy, function)
    del copy.__wrapped__  # type: ignore[attr-defined]
    vars(copy).update(vars(function))
    return copy


def _run(record: CallRecord, graph: fx.GraphModule, *inputs: Any) -> Any:
    for node, value in zip(graph.graph.find_nodes(op="placeholder"), inputs, strict=True):
        declared = getattr(node.meta.get("example_value"), "dtype", None)
        if declared is not None and declared != getattr(value, "dtype", declared):
            record.misread.append(node)
    states = list(map(_state, inputs))
    try:
        with _untraced():
            return graph.forward(*inputs)
    finally:
        nodes = graph.graph.find_nodes(op="placeholder")
        for node, value, before in zip(nodes, inputs, states, strict=True):
            if _state(value) != before:
                record.changed.add(node)


def _state(value: Any) -> tuple[Any, ...]:
    """What differs when a tensor was changed in place: its version, and where its memory begins."""
    if not isinstance(value, torch.Tensor) or value.is_inference():
        return ()
    has_memory = value.layout == torch.strided and not is_lazy(value)
    return value._version, value.data_ptr() if has_memory else None
