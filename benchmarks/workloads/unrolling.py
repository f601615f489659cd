"""What a Python loop costs to compile as its steps grow, beside a loop that stays one."""

from functools import partial

from benchmarks.cases import Case, Work, calling, compiled
from jaxvstorch._measure import fresh_calls
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS

NAMES = ("evolve_python", "evolve_fori")
STEPS = (4, 128)
ELEMENTS = 16  # so few that the program's length is all that differs


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """Each loop with few and with many steps; a case's size is its number of steps."""
    if quick or framework == "numpy":
        return []
    pairs = [pair for pair in PAIRS if pair.topic == "loops" and pair.name in NAMES]
    return [
        Case("loops", f"{pair.name} by steps", steps, framework, "compiled",
             partial(_build, pair, steps, framework))
        for pair in pairs for steps in STEPS
    ]  # fmt: skip


def _build(pair: Pair, steps: int, framework: str) -> Work:
    calls = [
        (*pair.to_framework(framework, pair.make_inputs(size))[:1], steps)
        for size in (ELEMENTS, 2 * ELEMENTS)
    ]
    address = f"jaxvstorch.examples.{pair.topic}.{framework}:{pair.name}"
    fresh = partial(
        fresh_calls, address, *calls,
        static_argnames=pair.static, framework=framework, after_another=True,
    )  # fmt: skip
    function = compiled(framework, pair.half(framework), pair.static)
    return calling(function, calls[:1], fresh=fresh)
