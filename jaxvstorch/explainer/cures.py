"""What errors and graph breaks mean, and what to do about them, in one sentence each.

Texts by the error's class or by words of the framework's message; and the book's page on it.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cure:
    """What to do, and the page of the book that shows it."""

    text: str
    page: str


_BY_ERROR = {
    "TracerBoolConversionError": Cure(
        "Choose with jnp.where or jax.lax.cond, or make the value a static argument.", "branching"
    ),
    "TracerIntegerConversionError": Cure(
        "Make the value a static argument, or use a loop that takes a traced length, such as "
        "jax.lax.fori_loop.",
        "static_args",
    ),
    "ConcretizationTypeError": Cure(
        "Make the value a static argument, or keep to operations that take traced values.",
        "static_args",
    ),
    "NonConcreteBooleanIndexError": Cure(
        "A shape must not depend on values: use jnp.where(mask, x, 0) in place of x[mask].",
        "branching",
    ),
    "TracerArrayConversionError": Cure(
        "NumPy cannot compute with a traced value: use jax.numpy here.", "tracing"
    ),
    "UnexpectedTracerError": Cure(
        "A value of an earlier trace was kept outside of the function: return it instead.",
        "purity",
    ),
}

_STATIC = Cure(
    "Make the value a static argument: explain(jax.jit(f, static_argnames=...), ...).",
    "static_args",
)

# By words in an error of a class that says little. All come of a size or flag that was traced.
_BY_MESSAGE = (
    ("unhashable type: 'DynamicJaxprTracer'", _STATIC),
    ("must have __hash__", _STATIC),
    ("concrete values of integer type", _STATIC),
)

# By words in Dynamo's explanation of a graph break.
_BY_BREAK = (
    ("`print`", Cure(
        "Print outside of the compiled function, or use torch._higher_order_ops.print.", "tracing"
    )),
    ("generic_jump", Cure(
        "Choose with torch.where or torch.cond, or pass the condition as a Python bool.",
        "branching",
    )),
    ("Data-dependent branching", Cure(
        "Choose with torch.where or torch.cond, or pass the condition as a Python bool.",
        "branching",
    )),
    (".item()", Cure("Keep the value in a tensor.", "branching")),
    ("random", Cure("Draw with torch's own functions, or pass the numbers in.", "purity")),
    ("time.", Cure("Read the clock outside, and pass the time in.", "purity")),
    ("`open`", Cure("Read the file outside, and pass in what it holds.", "purity")),
)  # fmt: skip

_NONE = Cure("", "")


def of_error(error: BaseException) -> Cure:
    """What to do about an error; empty where nothing general can be said."""
    names = (kind.__name__ for kind in type(error).__mro__)
    found = next((_BY_ERROR[name] for name in names if name in _BY_ERROR), _NONE)
    found = next((c for words, c in _BY_MESSAGE if found is _NONE and words in str(error)), found)
    # Under fullgraph=True Dynamo raises what would otherwise have been a break.
    return (
        of_break(str(error)) if found is _NONE and type(error).__name__ == "Unsupported" else found
    )


def of_break(reason: str) -> Cure:
    """What to do about a graph break; empty where nothing general can be said."""
    # The hints further down speak of other functions as well.
    told = f"{reason.splitlines()[0] if reason else ''} {_explanation(reason)}"
    return next((cure for words, cure in _BY_BREAK if words in told), _NONE)


def sentence(reason: str) -> str:
    """Why Dynamo broke the graph, in one sentence, from its own explanation of several lines."""
    if reason.startswith("generic_jump"):
        return "The way on depends on a tensor's value, which is not known while tracing."
    text = _NOISE.sub("", _explanation(reason))
    return f"{text.rstrip('.')}."


_NOISE = re.compile(r" in file `[^`]*`| \(has_kwargs \w+\)")


def _explanation(reason: str) -> str:
    """Dynamo's own explanation; its first line where it gives none."""
    lines = [line.strip() for line in reason.splitlines()]
    told = (line for line in lines if line.startswith("Explanation: "))
    return next(told, lines[0] if lines else "").removeprefix("Explanation: ")
