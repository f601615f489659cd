"""The dtypes of array arguments, by their short names and by NumPy's."""

import difflib

SHORT = {
    "bool": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip

BY_NAME = SHORT | {name: name for name in SHORT.values()}


def unknown(name: str) -> str:
    """The message for a name that is no dtype.

    >>> unknown("float23")
    "unknown dtype 'float23'; did you mean float32?"
    """
    near = difflib.get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(SHORT)}"
    return f"unknown dtype {name!r}; {hint}"
