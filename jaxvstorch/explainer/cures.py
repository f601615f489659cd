"""What errors mean, and what to do about them, in one sentence each.

Texts by the error's class or by words of the framework's message; and the book's page on it.
"""

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

_NONE = Cure("", "")


def of_error(error: BaseException) -> Cure:
    """What to do about an error; empty where nothing general can be said."""
    names = (kind.__name__ for kind in type(error).__mro__)
    found = next((_BY_ERROR[name] for name in names if name in _BY_ERROR), _NONE)
    return next((c for words, c in _BY_MESSAGE if found is _NONE and words in str(error)), found)
