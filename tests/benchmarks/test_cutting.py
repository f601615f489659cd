"""The workload that is cut in two."""

import numpy as np
import pytest

from benchmarks.workloads import cutting
from jaxvstorch._pairs.registry import PAIRS


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_it_computes_what_the_pair_computes(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    (pair,) = (pair for pair in PAIRS if str(pair) == "methods.calibrated_between")
    case, _ = cutting.cases(framework, quick=False)
    answer = pair.reference(*pair.make_inputs(case.size))
    np.testing.assert_allclose(np.asarray(case.build().sample()), answer, rtol=1e-4, atol=1e-6)
