"""Compiles a traced function, and reads what XLA made of it."""

import re
from dataclasses import replace
from typing import Any

from jaxvstorch._explain.explanation_data import Compiled, Kernel, Program, Stage
from jaxvstorch._explain.jax.hlo import Module
from jaxvstorch._explain.observations import Operation
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._messages import tidy

_PROGRAM = "A"
_MOST_PRINTED = 200_000
_STABLEHLO = re.compile(r"\bstablehlo\.(?!return|constant)\w+")


def compile(traced: Any, program: Program, shown_files: ShownFiles) -> Compiled:
    """Lower and compile what ``jax.jit(...).trace(...)`` returned; the program does not run."""
    lowered = traced.lower()
    before = of_lowered(lowered, lowered.as_text())
    after, _ = of_compiled(lowered.compile(), shown_files)
    jaxpr = Stage(program.name, "jaxpr", program.text)
    return replace(
        after,
        stages=(jaxpr, *before.stages, *after.stages),
        operations_before=before.operations_before,
    )


def of_lowered(lowered: Any, stablehlo: str) -> Compiled:
    """What is known before XLA compiles."""
    costs = _costs(lowered)
    return Compiled(
        stages=(Stage(_PROGRAM, "StableHLO", stablehlo),),
        kernels=(),
        operations_before=len(_STABLEHLO.findall(stablehlo)),
        flops=_number(costs, "flops"),
        bytes_accessed=_number(costs, "bytes accessed"),
    )


def of_compiled(compiled: Any, shown_files: ShownFiles) -> tuple[Compiled, list[Operation]]:
    """What XLA made, and its operations with the lines they come from."""
    optimised = compiled.as_text()
    module = Module(optimised, shown_files.has)
    operations = module.operations(_PROGRAM)
    costs = _costs(compiled)
    memory = compiled.memory_analysis()
    report = Compiled(
        stages=(Stage(_PROGRAM, "optimised HLO", optimised),),
        kernels=tuple(Kernel(_PROGRAM, k.name, k.operations, k.lines) for k in module.kernels()),
        operations_after=len(operations),
        flops=_number(costs, "flops"),
        bytes_accessed=_number(costs, "bytes accessed"),
        temporary_bytes=getattr(memory, "temp_size_in_bytes", None),
    )
    return report, operations


def text(jaxpr: Any, operations: int) -> str:
    """A jaxpr as text, without addresses, and without colours, which JAX adds in terminals.

    JAX's time for it grows with the number of operations, however few of them are different.
    """
    if operations > _MOST_PRINTED:
        return f"# {operations:,} operations: too many to print"
    return tidy(str(jaxpr.pretty_print(use_color=False)))


def _costs(compiled: Any) -> dict[str, Any]:
    costs = compiled.cost_analysis()
    if isinstance(costs, list):
        costs = costs[0] if costs else {}
    return dict(costs or {})


def _number(costs: dict[str, Any], name: str) -> float | None:
    value = costs.get(name)
    return float(value) if value is not None and value >= 0 else None
