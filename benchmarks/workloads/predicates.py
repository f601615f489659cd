"""Branches by a predicate that holds: the pairs' own cases time one that does not.

Which side is taken changes what a call has to compute, and on a CPU XLA skips even a side of
``where`` that no predicate takes.
"""

from functools import partial

import numpy as np

from benchmarks.cases import Case, Work, calling, compiled
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS

NAMES = ("select_cond", "select_where", "expensive_cond", "expensive_where")
SIZES = (16, 65_536)


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """Each pair at both sizes, compiled; a quick session times the expensive branches alone."""
    if framework == "numpy":
        return []
    pairs = [pair for pair in PAIRS if pair.topic == "branching" and pair.name in NAMES]
    return [
        Case(pair.topic, named(pair), size, framework, "compiled",
             partial(_build, pair, size, framework))
        for pair in pairs
        for size in SIZES
        if not quick or (size in pair.benchmark.quick and pair.name.startswith("expensive"))
    ]  # fmt: skip


def named(pair: Pair) -> str:
    """What its case is called."""
    return f"{pair.name} if true"


def _build(pair: Pair, size: int, framework: str) -> Work:
    _, *others = pair.make_inputs(size)
    arguments = pair.to_framework(framework, (np.bool_(True), *others))
    return calling(compiled(framework, pair.half(framework)), [arguments] * 4)
