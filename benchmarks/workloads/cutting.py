"""A function that is cut in two, with NumPy in between: neither compiler takes the whole of it."""

from functools import partial

from benchmarks.cases import Case, Work, calling, compiled
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS

MODE = "compiled, cut in two"
SIZES = (16, 65_536)


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """The pair ``methods.calibrated_between``, which `jax.jit` refuses as a whole."""
    if quick or framework == "numpy":
        return []
    (pair,) = (pair for pair in PAIRS if str(pair) == "methods.calibrated_between")
    return [
        Case(
            "methods",
            pair.name,
            size,
            framework,
            MODE,
            partial(_build, pair, size, framework),
        )
        for size in SIZES
    ]


def _build(pair: Pair, size: int, framework: str) -> Work:
    """In JAX each part is compiled inside the function; PyTorch breaks the graph."""
    function = pair.half(framework)
    if framework == "torch":
        function = compiled(framework, function)
    return calling(function, [pair.to_framework(framework, pair.make_inputs(size))])
