"""Compiles a traced function, and says what XLA made of it."""

import re
from typing import Any

from jaxvstorch.explainer.compiled import Compiled, Kernel, Stage
from jaxvstorch.explainer.jax.hlo import Module
from jaxvstorch.explainer.own import OwnCode

_PROGRAM = "A"
_STABLEHLO = re.compile(r"\bstablehlo\.(?!return|constant)\w+")


def compile(traced: Any, own: OwnCode) -> Compiled:
    """Lower and compile what ``jax.jit(...).trace(...)`` returned; the program does not run."""
    lowered = traced.lower()
    compiled = lowered.compile()
    stablehlo, optimised = lowered.as_text(), compiled.as_text()
    module = Module(optimised, own.has)
    costs = _costs(compiled)
    memory = compiled.memory_analysis()
    return Compiled(
        stages=(
            Stage(_PROGRAM, "jaxpr", text(traced.jaxpr)),
            Stage(_PROGRAM, "StableHLO", stablehlo),
            Stage(_PROGRAM, "optimised HLO", optimised),
        ),
        kernels=tuple(Kernel(_PROGRAM, k.name, k.operations, k.lines) for k in module.kernels()),
        operations_before=len(_STABLEHLO.findall(stablehlo)),
        operations_after=module.operations(),
        flops=_number(costs, "flops"),
        bytes_accessed=_number(costs, "bytes accessed"),
        temporary_bytes=getattr(memory, "temp_size_in_bytes", None),
    )


def text(jaxpr: Any) -> str:
    """A jaxpr as text without colours, which JAX adds in notebooks and terminals."""
    return str(jaxpr.pretty_print(use_color=False))


def _costs(compiled: Any) -> dict[str, Any]:
    found = compiled.cost_analysis()
    if isinstance(found, list):
        found = found[0] if found else {}
    return dict(found or {})


def _number(costs: dict[str, Any], name: str) -> float | None:
    value = costs.get(name)
    return float(value) if value is not None and value >= 0 else None
