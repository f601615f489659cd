"""What a compiled JAX program does to memory."""

from typing import Any

SHAPE = (100, 64)
BYTES = 4 * 100 * 64


def set_row(x, row):
    return x.at[0].set(row)


def compiled(jax, function, *arguments, **options) -> Any:
    return jax.jit(function, **options).lower(*arguments).compile()


def aliased(program) -> int:
    """Bytes of the results that lie in an argument's memory."""
    return program.memory_analysis().alias_size_in_bytes


def temporary(program) -> int:
    """Bytes that a program needs besides its arguments and results."""
    return program.memory_analysis().temp_size_in_bytes


def whole_copies(program, shape=SHAPE) -> int:
    """How often the text of a program copies an array of this shape."""
    found = f"= f32[{','.join(map(str, shape))}]"
    lines = program.as_text().splitlines()
    return sum(found in line and " copy(" in line for line in lines)
