"""Names that draw random numbers: the shape, the dtype, and how the numbers are distributed."""

from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.arguments import jax_arguments
from jaxvstorch._port.map.running.call import of_pytorch
from jaxvstorch._port.map.running.compare import Difference
from jaxvstorch._port.map.running.describe import call_text, error_text, result_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import array
from tools.check_map import samples
from tools.check_map.tally import Tally

UNLIKELY = 1e-4  # of two samples of one distribution, that a test finds them this far apart


def try_draws(row: Row) -> Tally:
    """Compare what both draw, by a two-sample Kolmogorov-Smirnov test."""
    tally = Tally()
    function = eval(row.source(row.expression or ""), namespace())
    for call in samples.own(row, of_pytorch(row.name)):
        ours = call()
        try:
            args, kwargs = jax_arguments(row, call)
            found = _differences(ours, function(*args, **kwargs))
        except Exception as error:
            found = [Difference("only JAX raises", result_text(ours), error_text(error))]
        tally.add("draws", call_text(call), found)
    return tally


def _differences(ours: torch.Tensor, theirs: Any) -> list[Difference]:
    from scipy.stats import ks_2samp

    a, b = array(ours), array(theirs)
    if a.shape != b.shape:
        return [Difference("shape", str(a.shape), str(b.shape))]
    found = []
    # SciPy does not know bfloat16.
    if ks_2samp(*(x.ravel().astype(np.float64) for x in (a, b))).pvalue < UNLIKELY:
        found.append(Difference("distribution", result_text(ours), result_text(theirs)))
    if a.dtype != b.dtype:
        narrower = a.dtype.itemsize == 2 * b.dtype.itemsize
        found.append(Difference("width" if narrower else "dtype", a.dtype.name, b.dtype.name))
    return found
