"""Explains what ``jax.jit``'s ``trace``, ``lower`` or ``compile`` returned."""

import re
from functools import partial
from typing import Any

import jax

from jaxvstorch._explain.explanation_data import Program
from jaxvstorch._explain.jax import stages, traces
from jaxvstorch._explain.jax.program import Reader
from jaxvstorch._explain.observations import Location, Observations, Operation, count
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.shorthand import describe_all
from jaxvstorch._explain.sources import count_without_line, read_sources

_NAME = re.compile(r"(?:HloModule|module) @?(?:jit_)?([\w.\-]+)")
_LINES = "The lines without a sign: an earlier trace does not show whether they ran."


def explain(made: Any) -> dict[str, Any]:
    """Read what ``trace``, ``lower`` or ``compile`` returned, as fields of an ``Explanation``."""
    args, kwargs = made.args_info
    arguments = tuple(describe_all(args, kwargs))
    if isinstance(made, jax.stages.Traced):
        fields = _of_traced(made)
    elif isinstance(made, jax.stages.Compiled):
        fields = _of_compiled(made)
    else:
        fields = _of_lowered(made)
    return {"framework": "jax", "arguments": arguments, **fields}


def _of_traced(traced: Any) -> dict[str, Any]:
    """The jaxpr's operations, each at the line it comes from."""
    location = traces.function_location(traced.jaxpr)
    shown_files = ShownFiles(location[0] if location else None)
    reader = Reader(shown_files, __file__, location, traces.Sites(), cuts=True)
    operations = list(reader.operations(traced.jaxpr.jaxpr, "A"))
    text = stages.text(traced.jaxpr, sum(operation.number for operation in operations))
    placed = _placed(operations, location or ("", 0), text)
    return {
        "function": traced.fun_name,
        **placed,
        "ran": "Nothing: it was traced before, and the program did not run.",
        "compile": partial(stages.compile, traced, placed["programs"][0], shown_files),
    }


def _of_lowered(lowered: Any) -> dict[str, Any]:
    text = lowered.as_text()
    compiled = stages.of_lowered(lowered, text)
    return {
        "function": _name(text),
        "sources": (),
        "programs": (Program("A", {"A": compiled.operations_before or 0}, ""),),
        "missing": (
            "The lines, and what XLA makes of the program: explain what its compile() returns.",
        ),
        "ran": "Nothing: it was lowered before, and its operations are those of StableHLO.",
        "compiled": compiled,
    }


def _of_compiled(made: Any) -> dict[str, Any]:
    compiled, operations = stages.of_compiled(made, ShownFiles(None))
    return {
        "function": _name(made.as_text()),
        **_placed(operations, ("", 0), ""),
        "ran": "Nothing: it was compiled before, and its operations are those of optimised HLO.",
        "compiled": compiled,
    }


def _placed(operations: list[Operation], entry: Location, text: str) -> dict[str, Any]:
    """The program, and the functions whose lines its operations name."""
    sources = read_sources(entry, Observations(operations=operations))
    program = Program("A", count(operations), text)
    return {
        "sources": sources,
        "programs": count_without_line([program], operations, sources),
        "missing": (_LINES,) if sources else (),
    }


def _name(text: str) -> str:
    """The function's name, from that of its module."""
    match = _NAME.match(text)
    name = match[1] if match else "the program"
    return "<lambda>" if name == "_lambda" else name
