"""Print, as JSON, the processor time of compiling library functions, and of explaining them.

Run in a process of its own, in which other tests have neither compiled nor slowed anything.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax_modules  # noqa: F401  # which adds to what jax_functions holds
from jax_functions import BUILDERS

from jaxvstorch import explain


def seconds(run: Callable[[], Any]) -> float:
    """How long it takes with JAX's caches cleared."""
    jax.clear_caches()
    begin = time.process_time()
    run()
    return time.process_time() - begin


def least(name: str) -> tuple[float, float]:
    """The least times of both, of three rounds, or of more where explaining seems to take twice."""
    function, args, kwargs = call = BUILDERS[name]()
    compiling, explaining = [], []
    # Other programs on the machine lengthen processor time too, by less and now and then.
    while len(compiling) < 3 or (min(explaining) >= 2 * min(compiling) and len(compiling) < 15):
        compiling.append(seconds(call.compile))
        explaining.append(seconds(lambda: explain(function, *args, **kwargs)))
    return min(compiling), min(explaining)


print(json.dumps({name: least(name) for name in sys.argv[1:]}))
