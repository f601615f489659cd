"""Calls a function once under ``torch.compile``, and watches."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

import torch
from torch import fx

from jaxvstorch._explain.observations import Place
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.recorder import Recorder, Visits
from jaxvstorch._explain.python.shown_files import OwnCode
from jaxvstorch._explain.python.unwrap import uncompiled
from jaxvstorch._explain.subject import Subject
from jaxvstorch._explain.torch import dynamo, interventions
from jaxvstorch._explain.torch.interventions import quiet
from jaxvstorch._explain.torch.traced import Frame, Reading, Traced
from jaxvstorch._explain.torch.undo import Undo


def trace(
    subject: Subject,
    own: OwnCode,
    traced: Traced,
    recorder: Recorder,
    begin: Callable[[Reading], None],
) -> None:
    """Compile and call a function once; each graph runs as it is, without Inductor.

    Args:
        subject: the function and its arguments.
        own: whose lines are shown.
        traced: filled with what the call shows.
        recorder: watches, and leaves out what runs while ``traced.is_apart()``.
        begin: called when Dynamo begins to read a function.
    """

    def keep(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        traced.graphs.append(graph)
        traced.inputs.append(inputs)
        traced.guards |= dynamo.guards()
        return partial(_run, traced, graph)

    def read(translator: Any, code: CodeType, line: int) -> None:
        traced.frames[-1].stack = dynamo.stack(translator, line)
        traced.frames[-1].read.add((code.co_filename, code.co_firstlineno))
        compiling, attempt = dynamo.attempt()
        if traced.attempts.get(compiling) != attempt:
            traced.attempts[compiling] = attempt
            traced.readings[compiling] = {}
        reading = traced.readings[compiling].get(translator)
        if reading is None:
            variables = dict(getattr(translator, "f_locals", None) or {})
            reading = Reading(
                code,
                translator.f_globals,
                variables,
                Visits(code.co_name, statements.read(code.co_filename)),
            )
            traced.readings[compiling][translator] = reading
            begin(reading)
        reading.visits.line(line, translator.instruction_pointer or 0)

    undo = Undo(keep)

    @contextmanager
    def compiling(entered: Any) -> Iterator[None]:
        frame = Frame(entered.f_code, dynamo.is_left_out(entered), _callers())
        traced.frames.append(frame)
        with (
            undo.frame(entered),
            dynamo.reported() as (frame.breaks, frame.failures),
            interventions.lines_traced(read),
            interventions.without_limits(),
            quiet(),
        ):
            yield

    function = subject.function
    original: Callable[..., Any] = uncompiled(function)
    if isinstance(original, torch.nn.Module) and uncompiled(original.forward) != original.forward:
        function, original = original.forward, uncompiled(original.forward)
    options = dynamo.options(function)
    interventions.leave_alone(*recorder.trace_functions)
    with interventions.module_restored(original), interventions.looked_on(keep, compiling):
        # Dynamo's rules may name a function of an installed package, and would not know its copy.
        is_known = own.is_installed or _calls_itself(original)
        asked = original if is_known else _with_code_of_its_own(original)
        compiled: Any = torch.compile(asked, backend=keep, **options)
        try:
            with recorder:
                compiled(*subject.args, **subject.kwargs)
        except Exception as error:  # raised by the function, which is part of what is explained
            traced.error = error
        finally:
            undo.take_back()


def _callers() -> list[Place]:
    """The lines of Python between the explained call and what is compiled now."""
    found: list[Place] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not trace.__code__:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


def _calls_itself(function: Any) -> bool:
    """Whether a copy would call the original function in turn."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return code is not None and function.__name__ in (*code.co_names, *code.co_freevars)


def _with_code_of_its_own(function: Any) -> Any:
    """The same function or method with a copy of its code.

    Dynamo remembers by the code what it compiled and what it gave up. The copy starts without that,
    and the reader's function keeps it.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        return MethodType(_with_code_of_its_own(function.__func__), function.__self__)
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


def _run(traced: Traced, graph: fx.GraphModule, *inputs: Any) -> Any:
    for node, value in zip(graph.graph.find_nodes(op="placeholder"), inputs, strict=True):
        declared = getattr(node.meta.get("example_value"), "dtype", None)
        if declared is not None and declared != getattr(value, "dtype", declared):
            traced.misread.append(node)
    traced.is_graph_running = True
    try:
        return graph.forward(*inputs)
    finally:
        traced.is_graph_running = False
