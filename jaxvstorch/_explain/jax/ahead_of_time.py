"""Explains a function that JAX traced, lowered or compiled before."""

import re
from functools import partial
from typing import Any

import jax

from jaxvstorch._explain.explanation_data import Program
from jaxvstorch._explain.jax import stages, traces
from jaxvstorch._explain.jax.program import Reader
from jaxvstorch._explain.observations import Operation, Place, Seen, count
from jaxvstorch._explain.python.shown_files import OwnCode
from jaxvstorch._explain.shorthand import describe_all
from jaxvstorch._explain.sources import count_without_line, read_sources

_NAME = re.compile(r"(?:HloModule|module) @?(?:jit_)?([\w.\-]+)")
_LINES = "The lines without a sign: what was traced before does not say whether they ran."


def explain(made: Any) -> dict[str, Any]:
    """Read what ``trace``, ``lower`` or ``compile`` returned, as fields of an ``Explanation``."""
    args, kwargs = made.args_info
    arguments = tuple(describe_all(args, kwargs))
    if isinstance(made, jax.stages.Traced):
        found = _of_traced(made)
    elif isinstance(made, jax.stages.Compiled):
        found = _of_compiled(made)
    else:
        found = _of_lowered(made)
    return {"framework": "jax", "arguments": arguments, **found}


def _of_traced(traced: Any) -> dict[str, Any]:
    """The jaxpr's operations, on the lines that they come from."""
    place = traces.place_of(traced.jaxpr)
    own = OwnCode(place[0] if place else None)
    reader = Reader(own, __file__, place, traces.Sites(), cuts=True)
    operations = list(reader.operations(traced.jaxpr.jaxpr, "A"))
    return {
        "function": traced.fun_name,
        **_placed(operations, place or ("", 0), stages.text(traced.jaxpr)),
        "ran": "Nothing: it was traced before, and the program did not run.",
        "compile": partial(stages.compile, traced, own),
    }


def _of_lowered(lowered: Any) -> dict[str, Any]:
    text = lowered.as_text()
    compiled = stages.of_lowered(lowered, text)
    return {
        "function": _name(text),
        "sources": (),
        "programs": (Program("A", {"A": compiled.operations_before or 0}, ""),),
        "missing": ("The lines, and what XLA makes of it: explain what its compile() returns.",),
        "ran": "Nothing: it was lowered before, and its operations are those of StableHLO.",
        "compiled": compiled,
    }


def _of_compiled(made: Any) -> dict[str, Any]:
    compiled, operations = stages.of_compiled(made, OwnCode(None))
    return {
        "function": _name(made.as_text()),
        **_placed(operations, ("", 0), ""),
        "ran": "Nothing: it was compiled before, and its operations are those of optimised HLO.",
        "compiled": compiled,
    }


def _placed(operations: list[Operation], entry: Place, text: str) -> dict[str, Any]:
    """The program, and the functions whose lines its operations name."""
    sources = read_sources(entry, Seen(operations=operations))
    program = Program("A", count(operations), text)
    return {
        "sources": sources,
        "programs": count_without_line([program], operations, sources),
        "missing": (_LINES,) if sources else (),
    }


def _name(text: str) -> str:
    """The function's name, from that of its module."""
    found = _NAME.match(text)
    name = found[1] if found else "the program"
    return "<lambda>" if name == "_lambda" else name
