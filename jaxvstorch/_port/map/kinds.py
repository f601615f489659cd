"""The kinds of difference in a reader's words, and which difference most people meet first.

``verdicts.json`` and ``tools/check_map/probes.txt`` have short keys; here they become the words
that the command, the page and the JSON document show.
"""

import re
from typing import NamedTuple, TypeVar

from jaxvstorch._port.map.verdict import NameDifference, NameProbe

ORDINARY, DTYPES, PROMOTION, SCALAR, EMPTY, NOT_FINITE, ACCEPTED = range(
    7
)  # the less met, the later


class Kind(NamedTuple):
    """A kind of difference.

    Attributes:
        word: what lists of kinds show.
        rarity: how far the programs that meet it are from ordinary floats of ordinary shapes.
        meaning: what it means, where the word is not enough.
    """

    word: str
    rarity: int = ORDINARY
    meaning: str = ""


KINDS = {
    "value": Kind("other values"),
    "shape": Kind("other shape"),
    "results": Kind("number of results"),
    "distribution": Kind("other random distribution"),
    "initial weights": Kind("other initial weights"),
    "buffers": Kind(
        "running averages", meaning="what a module keeps from a step in training differs"
    ),
    "drawn again": Kind(
        "numbers drawn again", meaning="a key gives its numbers again, a generator gives others"
    ),
    "gradient": Kind("other gradients"),
    "only JAX raises": Kind("error in JAX only"),
    "only PyTorch raises": Kind("error in PyTorch only"),
    "refused": Kind(
        "parameter left out", meaning="a parameter has no counterpart, the line is for its default"
    ),
    "rounding": Kind("last digits", DTYPES),
    "width": Kind("32 bits, not 64", DTYPES, "PyTorch gives 64 bits, and JAX 32"),
    "dtype": Kind("dtype of the result", DTYPES),
    "promotion": Kind(
        "dtype beside a scalar array",
        PROMOTION,
        "a scalar array has no dimensions, as a learned scale; in JAX it widens an array of "
        "another dtype, in PyTorch it does not",
    ),
    "promotion of two": Kind(
        "dtype of two dtypes",
        PROMOTION,
        "arrays of different dtypes beside each other give another dtype",
    ),
    "overflow": Kind(
        "number beyond its dtype",
        PROMOTION,
        "a number beside an array is more than the array's dtype holds",
    ),
    "0-d": Kind(
        "axis of a scalar array",
        SCALAR,
        "JAX accepts no axis for a scalar array, which has no dimensions",
    ),
    "NaN": Kind("NaN in one only", NOT_FINITE),
    "kink": Kind(
        "gradient at a kink",
        NOT_FINITE,
        "gradients where the function has none, as `abs` at 0, at an infinity or NaN, or where "
        "it is not defined",
    ),
    "out of range": Kind(
        "argument out of range",
        NOT_FINITE,
        "a count, rate or scale is zero or negative, or the ends of a range are in the wrong order",
    ),
    "only JAX differentiates": Kind(
        "gradient in JAX only",
        DTYPES,
        "PyTorch gives no gradient of an input, or raises an error, and JAX gives numbers",
    ),
    "two dtypes": Kind("two dtypes that only JAX accepts", ACCEPTED),
    "dtypes": Kind("dtype that only JAX accepts", ACCEPTED),
}

# What a probe is about, where its key says too little, and how seldom people meet it.
PROBES = {
    "0-d": ("scalar arrays", SCALAR),
    "0-d axis": (KINDS["0-d"].word, SCALAR),
    "NaN": ("NaN in the input", NOT_FINITE),
    "advanced": ("index arrays beside slices", ORDINARY),
    "all masked": ("everything masked", NOT_FINITE),
    "axis": ("default axis", ORDINARY),
    "bool": ("booleans", DTYPES),
    "bounds": ("index out of bounds", ORDINARY),
    "broadcast": ("broadcasting", ORDINARY),
    "buffers": (KINDS["buffers"].word, ORDINARY),
    "casting": ("casting to integers", DTYPES),
    "complex": ("complex numbers", DTYPES),
    "complex grad": ("complex gradients", DTYPES),
    "ddof": ("divisor of the variance (ddof)", ORDINARY),
    "default": ("default argument", ORDINARY),
    "dtype": (KINDS["dtype"].word, DTYPES),
    "duplicates": ("repeated indices", ORDINARY),
    "empty": ("empty arrays", EMPTY),
    "empty axes": ("empty tuple of axes", EMPTY),
    "float index": ("lists and masks as an index", ORDINARY),
    "image": ("images", ORDINARY),
    "infinity": ("infinity in the input", NOT_FINITE),
    "branch": ("branch of a complex function", DTYPES),
    "fill": ("fill value", ORDINARY),
    "input read": ("triangle that is read", ORDINARY),
    "int division": ("integer division", DTYPES),
    "kink": (KINDS["kink"].word, NOT_FINITE),
    "large numbers": ("large numbers", ORDINARY),
    "loss": ("special cases of a loss", ORDINARY),
    "matrix": ("matrices that cannot be decomposed", ORDINARY),
    "mean of int": ("mean of integers", DTYPES),
    "overflow": ("integer overflow", PROMOTION),
    "pad": ("padding", ORDINARY),
    "pole": ("pole of the function", NOT_FINITE),
    "promotion": ("dtype of two dtypes", PROMOTION),
    "raises": ("error in one only", ORDINARY),
    "rounding": (KINDS["rounding"].word, DTYPES),
    "steps": ("slice with a negative step", ORDINARY),
    "subnormal": ("numbers below 1e-38", NOT_FINITE),
    "ties": ("equal elements", ORDINARY),
    "ties/even": ("median of an even number", ORDINARY),
    "view": ("views", ORDINARY),
    "width": (KINDS["width"].word, DTYPES),
}

# The kinds of trial, where their keys say too little; a dtype's name is its own.
TRIALS = {
    "own": "written inputs",
    "form": "beside the name that it is a form of",
    "refused": "refused arguments",
    "gradient": "gradients",
    "kink": "gradients at kinks and infinities",
    "arguments": "special arguments",
    "out of range": "arguments out of range",
    "complex infinity": "complex zeros and infinities",
    "large and small": "large and small numbers, and negative zero",
    "bounds": "positions outside",
    "axes": "negative, repeated and no axes",
    "lists": "lists for tuples",
    "module": "modules with the same weights",
    "plain": "plain functions of the weights",
    "draws": "4,000 draws",
    "steps": "twenty steps",
    "constant": "the constant",
    "empty": "empty arrays",
    "dtypes": "several dtypes",
    "numbers beyond int8": "numbers beyond 8-bit integers",
    "0-d": "scalar arrays",
    "0-d of another dtype": "scalar arrays of another dtype",
}

# What the words mean that are not plain.
MEANINGS = {kind.word: kind.meaning for kind in KINDS.values() if kind.meaning}
_BY_WORD = {kind.word: place for place, kind in enumerate(KINDS.values())}
_RARITIES = {kind.word: kind.rarity for kind in KINDS.values()} | dict(PROBES.values())

_NOT_FINITE = re.compile(r"\b(?:nan|inf)j?\b")
_EMPTY = re.compile(r"\(0(?: by|\))|by 0\b|\(\)(?!\()|\[\]")
_SELDOM = re.compile(
    r"\b(?:float16|bfloat16|u?int8|u?int16|uint\d+|bool|complex\d+)\b|^\W*int\d+\b"
)

Shown = TypeVar("Shown", NameDifference, NameProbe)


def rarity(call: str) -> int:
    """How far a call's arguments, as text, are from ordinary floats of ordinary shapes."""
    if _NOT_FINITE.search(call):
        return NOT_FINITE
    if _EMPTY.search(call):
        return EMPTY
    return DTYPES if _SELDOM.search(call) else ORDINARY


def place(difference: NameDifference | NameProbe) -> tuple[int, int]:
    """A key that is least for the difference that most people meet."""
    call = difference.call if isinstance(difference, NameDifference) else ""
    seldom = _RARITIES.get(difference.kind, ORDINARY)
    return max(rarity(call), seldom), _BY_WORD.get(difference.kind, -1)


def word(shown: NameDifference | NameProbe) -> str:
    """The word for the kind of a difference that ``verdicts.json`` holds."""
    if isinstance(shown, NameDifference):
        return KINDS[shown.kind].word
    return PROBES[shown.kind][0] if shown.kind in PROBES else shown.kind


def explained(kind: str) -> str:
    """The word for a kind, with its meaning where the word is not enough."""
    return f"{kind} ({MEANINGS[kind]})" if kind in MEANINGS else kind
