"""What a compiler reports of one call."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Compilations:
    """What one call made the compiler do.

    Attributes:
        traces: how often the function was traced, by JAX or by Dynamo, which also counts the rest
            of the function after each graph break.
        programs: programs compiled: XLA executables, or graphs handed to PyTorch's backend.
        breaks: graph breaks; JAX has none.
        reasons: why it was traced, or was not traced although no program fitted; empty if the
            framework does not say.
        uncompiled: how often a function ran uncompiled, because PyTorch's recompile limit is
            reached, a stance says so, or PyTorch gave it up in this call or an earlier one. JAX
            has none.
    """

    traces: int
    programs: int
    breaks: int
    reasons: tuple[str, ...]
    uncompiled: int = 0
