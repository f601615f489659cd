"""Tracing at the edges: what a first call reports, loggers, marks of numbers, tracers of grad."""

import logging

import numpy as np
import pytest
from needs import needs_compiler

X = np.arange(1, 4, dtype=np.float32)


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


def test_torch_breaks_at_loggers_too(torch) -> None:
    logger = logging.getLogger("jaxvstorch.nobody")
    once = torch._logging.warning_once
    for log in (lambda x: logger.warning("seen"), lambda x: once(logger, "seen")):
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(log, backend="eager", fullgraph=True)(torch.tensor(X))


def test_jax_refuses_what_is_no_array(jax, in_jax) -> None:
    with pytest.raises(TypeError, match="non-array argument"):
        jax.jit(in_jax.sin_cos)("text")


def test_jax_keeps_the_mark_of_a_python_number_and_torch_does_not(jax, torch) -> None:
    jnp = jax.numpy
    in_jax = jnp.ones(1, jnp.int8) + 2.5 + jnp.ones(1, jnp.float16)
    in_torch = torch.ones(1, dtype=torch.int8) + 2.5 + torch.ones(1, dtype=torch.float16)
    assert (in_jax.dtype, in_torch.dtype) == (jnp.float16, torch.float32)


def test_a_tracer_of_grad_decides_an_if_and_is_no_float(jax) -> None:
    assert jax.grad(lambda x: 2 * x if x > 0 else x)(1.0) == 2
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.grad(lambda x: x * float(x))(1.0)
