"""What to do about errors, in one sentence each, and the book's page about it.

An error is recognised by its class, or by words in its message.
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
        "Make the value a static argument, or use a loop that accepts a traced length, such "
        "as jax.lax.fori_loop.",
        "static_args",
    ),
    "ConcretizationTypeError": Cure(
        "Remove float(), int() or bool(): operations accept traced values. A size must be a "
        "static argument.",
        "static_args",
    ),
    "NonConcreteBooleanIndexError": Cure(
        "A shape must not depend on values: use jnp.where(mask, x, 0) in place of x[mask].",
        "shapes-values",
    ),
    "TracerArrayConversionError": Cure(
        "NumPy cannot compute with a traced value: use jax.numpy here.", "tracing"
    ),
    "UnexpectedTracerError": Cure(
        "A value from an earlier trace was kept outside the function: return it instead.",
        "purity",
    ),
}

_STATIC = Cure(
    "Make the value a static argument: explain(jax.jit(f, static_argnames=...), ...).",
    "static_args",
)

# By words of the message, for classes that say little.
_BY_MESSAGE = (
    # A size or flag that was traced.
    ("must have __hash__", _STATIC),
    ("concrete values of integer type", _STATIC),
    (
        "unhashable type: 'DynamicJaxprTracer'",
        Cure(
            "A traced value cannot be hashed: make it a static argument, or keep it out of "
            "caches, sets and dictionary keys.",
            "static_args",
        ),
    ),
    (
        "Non-hashable static arguments",
        Cure(
            "Pass something hashable: a tuple instead of a list, or a frozen dataclass.",
            "static_args",
        ),
    ),
)

_NONE = Cure("", "")


def first_sentence(message: str) -> str:
    r"""The first sentence of an error's message, or its first line if that is longer.

    >>> first_sentence("It has no hash. The error was:\nunhashable type: 'list'\nMore.")
    "It has no hash. The error was: unhashable type: 'list'"
    """
    sentence = ""
    for line in filter(None, map(str.strip, message.splitlines())):
        sentence = f"{sentence} {line}".strip()
        if not sentence.endswith((":", ",")):
            break
    return sentence


def of_error(error: BaseException, message: str) -> Cure:
    """What to do about an error with this message; empty if there is no general advice."""
    names = (kind.__name__ for kind in type(error).__mro__)
    by_class = next((_BY_ERROR[name] for name in names if name in _BY_ERROR), _NONE)
    return next((c for words, c in _BY_MESSAGE if by_class is _NONE and words in message), by_class)
