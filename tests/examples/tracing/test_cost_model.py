"""What the first call costs, as the frameworks report it."""

import numpy as np
import pytest
from needs import needs_compiler
from tracing_programs import X

from jaxvstorch import ledger


def test_jax_reports_three_stages_on_the_first_call_and_none_later(jax, in_jax) -> None:
    monitoring, seen = jax.monitoring, []

    def listen(event, seconds, **kwargs):
        if kwargs.get("fun_name") in ("sin_cos", "jit(sin_cos)"):
            assert seconds > 0
            seen.append(event.rpartition("/")[-1])

    function = jax.jit(in_jax.sin_cos)
    monitoring.register_event_duration_secs_listener(listen)
    try:
        for _ in range(2):
            function(X)
    finally:
        monitoring.unregister_event_duration_listener(listen)
    stages = ["jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"]
    assert seen == [f"{stage}_duration" for stage in stages]


def test_jax_stages_can_be_taken_one_by_one_and_are_kept(jax, in_jax) -> None:
    function = jax.jit(in_jax.sin_cos)
    compiled = function.trace(X).lower().compile()
    np.testing.assert_allclose(compiled(X), np.sin(X) + np.cos(X), rtol=1e-6)
    assert ledger(function, [(X,)]).programs == [0]
    with pytest.raises(TypeError, match="compiled"):
        compiled(X[:2])  # a compiled program takes no other shape, and does not compile again


@needs_compiler
def test_torch_reports_its_stages_on_the_first_call_and_none_later(torch, in_torch) -> None:
    from torch._dynamo.utils import get_compilation_metrics

    def reported():
        """Of this function alone: what Inductor compiles for a package has no name."""
        return [found for found in get_compilation_metrics() if found.co_name == "polynomial_sum"]

    x = torch.tensor(X)
    with torch._inductor.config.patch(fx_graph_cache=False):
        function = torch.compile(in_torch.polynomial_sum)
        function(x)
        metrics = reported()[-1]
        stages = (
            metrics.duration_us,
            metrics.aot_autograd_cumulative_compile_time_us,
            metrics.inductor_code_gen_cumulative_compile_time_us,
        )
        assert list(stages) == sorted(stages, reverse=True)  # each is a part of the one before
        assert stages[-1] > 0
        function(x)
        assert reported()[-1] is metrics
