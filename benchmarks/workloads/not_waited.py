"""The wrong way to time, beside the right one: a product that is not waited for."""

from functools import partial

from benchmarks.cases import Case, Work, compiled
from jaxvstorch import _frameworks
from jaxvstorch._pairs.registry import PAIRS

SIDE = 1_024
MODE = "compiled, not waited for"


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """The matrix product of the topic ``tracing``; the right way is one of the pair's own cases."""
    if framework == "numpy":
        return []
    return [Case("tracing", "matmul", SIDE, framework, MODE, partial(_build, framework))]


def _build(framework: str) -> Work:
    pair = next(pair for pair in PAIRS if str(pair) == "tracing.matmul")
    function = compiled(framework, pair.half(framework))
    arguments = pair.to_framework(framework, pair.make_inputs(SIDE))
    wait = _frameworks.adapter(framework).wait
    latest = [wait(function(*arguments))]

    def run() -> None:
        latest[0] = function(*arguments)

    def finish() -> None:
        wait(latest[0])

    return Work(lambda: run, after=finish, sample=lambda: latest[0])
