"""What a compiler reports of one call."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Compilations:
    """What one call made the compiler do.

    Attributes:
        traces: how often the function was traced: by JAX, or by Dynamo, which also counts what is
            left of the function after each graph break.
        programs: programs compiled: XLA executables, or graphs handed to PyTorch's backend.
        breaks: graph breaks; JAX has none.
        reasons: why it was traced, in the framework's words; empty where it gave none.
    """

    traces: int
    programs: int
    breaks: int
    reasons: tuple[str, ...]
