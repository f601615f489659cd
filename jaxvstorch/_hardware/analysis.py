"""What XLA says about a compiled program that does not run."""

from dataclasses import dataclass
from typing import Any

from jaxvstorch._hardware.counting import Collective, collectives, kernels, loops


@dataclass(frozen=True)
class Analysis:
    """What XLA says about one program on one device, and what the program contains.

    Attributes:
        arguments: their bytes, on one device. Here as below, a device's layout can add bytes.
        outputs: the bytes of the results.
        aliased: the bytes of results that reuse the memory of donated arguments.
        temporaries: the bytes for intermediate values.
        kernels: how many kernels the program has, or, on a TPU, what the compiler made in their
            place; one inside a loop counts once.
        loops: how many loops it has. The numbers below count each as if it had one step.
        collectives: what the devices send each other.
        flops: floating-point operations, as XLA counts them; ``None`` where it does not.
        bytes_accessed: bytes read and written by all kernels, as XLA counts them.
        estimated_seconds: the TPU compiler's own estimate, XLA's ``optimal_seconds``. It is
            a model's answer, not a measurement; ``None`` where it has none.
    """

    arguments: int
    outputs: int
    aliased: int
    temporaries: int
    kernels: int
    loops: int = 0
    collectives: tuple[Collective, ...] = ()
    flops: float | None = None
    bytes_accessed: float | None = None
    estimated_seconds: float | None = None

    @property
    def memory(self) -> int:
        """The bytes of arguments, results and temporaries together."""
        return self.arguments + self.outputs - self.aliased + self.temporaries


def analyse(compiled: Any) -> Analysis:
    """Analyse what ``jax.jit(...).lower(...).compile()`` returned."""
    text = compiled.as_text()
    memory = compiled.memory_analysis()
    cost = compiled.cost_analysis() or {}  # XLA does not count for a GPU that is not there
    estimate = cost.get("optimal_seconds", -1.0)  # below 0 if a kernel has none
    return Analysis(
        arguments=memory.argument_size_in_bytes,
        outputs=memory.output_size_in_bytes,
        aliased=memory.alias_size_in_bytes,
        temporaries=memory.temp_size_in_bytes,
        kernels=kernels(text),
        loops=loops(text),
        collectives=collectives(text),
        flops=cost.get("flops"),
        bytes_accessed=cost.get("bytes accessed"),
        estimated_seconds=estimate if estimate >= 0 else None,
    )
