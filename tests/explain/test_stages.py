"""The later stages: forms of a program, its kernels, and the lines that they come from."""

import os
import subprocess
import sys

import pytest

from jaxvstorch import explain
from jaxvstorch._doctor import compiler
from jaxvstorch._explain.explanation import Explanation


def lines_of(explanation: Explanation) -> dict[str, set[str]]:
    """By kernel, the text of the lines that it came from."""
    (source,) = explanation.sources
    text = {line.number: line.text.strip() for line in source.lines}
    compiled = explanation.with_stages().compiled
    assert compiled is not None
    return {kernel.name: {text[n] for _, n in kernel.lines} for kernel in compiled.kernels}


@pytest.fixture
def in_jax():
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.fixture
def in_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if compiler.find(os.environ) is None:
        pytest.skip("there is no C++ compiler, which Inductor needs on a CPU")
    return torch


def test_a_jaxpr_has_no_colours_in_it(in_jax) -> None:
    code = """
import sys
sys.stdout.isatty = lambda: True
import jax
from jaxvstorch import explain
from jaxvstorch.examples.tracing import jax as tracing
explanation = explain(tracing.sin_cos, jax.numpy.ones(3))
print(explanation.to_json(), explanation.with_stages().to_json(), end="")
print(repr(str(jax.make_jaxpr(tracing.sin_cos)(1.0))), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "\\x1b[" in done.stderr  # else JAX adds none any more
    assert "lambda ; a" in done.stdout
    assert "u001b" not in done.stdout


def test_jax_says_which_lines_each_kernel_came_from(in_jax) -> None:
    jnp = in_jax.numpy

    def function(x):
        y = jnp.sin(x) + jnp.cos(x)
        z = y @ y.T
        return jnp.tanh(z)

    explanation = explain(function, jnp.ones((64, 64))).with_stages()
    compiled = explanation.compiled
    assert [stage.name for stage in compiled.stages] == ["jaxpr", "StableHLO", "optimised HLO"]
    kernels = lines_of(explanation)
    assert {"y = jnp.sin(x) + jnp.cos(x)"} in kernels.values()
    assert {"z = y @ y.T"} in kernels.values()
    fused = next(k for k in compiled.kernels if "sine" in k.operations)
    assert {"sine", "cosine", "add"} <= set(fused.operations)
    assert compiled.flops > 64**3
    assert compiled.bytes_accessed > 0
    assert compiled.temporary_bytes >= 64 * 64 * 4
    assert compiled.missing == ()


def test_jax_repeated_operations_are_fewer_after_optimisation(in_jax) -> None:
    jnp = in_jax.numpy

    def function(x):
        return x / 3.0 + x / 3.0 + x / 3.0

    compiled = explain(function, jnp.ones(8)).with_stages().compiled
    stablehlo = next(s.text for s in compiled.stages if s.name == "StableHLO")
    assert stablehlo.count("stablehlo.divide") == 3
    (kernel,) = compiled.kernels
    assert sum(name in ("divide", "multiply") for name in kernel.operations) <= 2


def test_jax_kernels_inside_of_loops_are_kernels_and_the_loop_is_none(in_jax) -> None:
    jnp = in_jax.numpy

    def function(x):
        def body(carry, _):
            return jnp.tanh(carry @ carry), None

        return in_jax.lax.scan(body, x, length=3)[0]

    compiled = explain(function, jnp.ones((64, 64))).with_stages().compiled
    operations = [name for kernel in compiled.kernels for name in kernel.operations]
    assert operations.count("tanh") == operations.count("dot") == 1
    assert "while" not in operations


def test_the_program_does_not_run_for_its_stages(in_jax) -> None:
    ran = []

    def function(x):
        in_jax.debug.callback(ran.append, x)
        return x + 1

    explain(function, in_jax.numpy.ones(3)).with_stages()
    in_jax.effects_barrier()
    assert ran == []


def test_torch_says_which_lines_each_kernel_of_each_graph_came_from(in_torch) -> None:
    def function(x, w):
        y = in_torch.sin(x) + in_torch.cos(x)
        z = y @ w
        in_torch._dynamo.graph_break()
        return in_torch.tanh(z) * 2

    explanation = explain(function, in_torch.ones(64, 64), in_torch.ones(64, 64)).with_stages()
    compiled = explanation.compiled
    assert [(s.program, s.name) for s in compiled.stages] == [
        ("A", "FX graph"), ("A", "Inductor's code"), ("B", "FX graph"), ("B", "Inductor's code"),
    ]  # fmt: skip
    assert "cpp_fused" in compiled.stages[1].text
    assert [kernel.program for kernel in compiled.kernels] == ["A", "A", "B"]
    kernels = lines_of(explanation)
    assert kernels["extern_kernels.mm"] == {"z = y @ w"}
    assert {"y = in_torch.sin(x) + in_torch.cos(x)"} in kernels.values()
    assert {"return in_torch.tanh(z) * 2"} in kernels.values()
    assert (compiled.operations_before, compiled.operations_after) == (6, 6)
    assert (compiled.flops, compiled.bytes_accessed, compiled.temporary_bytes) == (None, None, None)
    assert "not reported" in str(explanation)


def test_torch_without_a_compiler_still_shows_the_graph(in_torch, monkeypatch) -> None:
    from jaxvstorch._explain.torch import inductor

    def no_compiler(graph, inputs, options):
        raise RuntimeError("No working C++ compiler found\nmore lines")

    monkeypatch.setattr(inductor, "compile", no_compiler)
    compiled = explain(lambda x: x + 1, in_torch.ones(3)).with_stages().compiled
    assert [stage.name for stage in compiled.stages] == ["FX graph"]
    assert compiled.missing == (
        "Inductor's code of program A: RuntimeError: No working C++ compiler found",
    )
    assert compiled.operations_after is None


def test_torch_takes_the_options_of_the_compiled_function(in_torch) -> None:
    def function(x):
        return in_torch.sin(x) + 1

    # So many threads that no default is the same.
    compiled = in_torch.compile(function, options={"cpp.threads": 31})
    stages = explain(compiled, in_torch.ones(100_000)).with_stages().compiled.stages
    assert "num_threads(31)" in next(s.text for s in stages if s.name == "Inductor's code")


def test_torch_another_backend_is_not_taken_for_inductor(in_torch) -> None:
    function = in_torch.compile(lambda x: x + 1, backend="eager")
    explanation = explain(function, in_torch.ones(3)).with_stages()
    compiled = explanation.compiled
    assert "it reports nothing" in str(explanation)
    assert [stage.name for stage in compiled.stages] == ["FX graph"]
    assert compiled.missing == ("What the backend 'eager' makes of program A: it reports nothing.",)


def test_a_version_that_lacks_a_part_is_named(in_jax, monkeypatch) -> None:
    from jaxvstorch._explain.jax import traces

    def moved(traceback):
        raise AttributeError("'SourceInfo' object has no attribute 'traceback'")

    monkeypatch.setattr(traces, "raw_frames", moved)
    with pytest.raises(RuntimeError, match=r"version .* lacks or has moved .*tested with 0\.10\.2"):
        explain(lambda x: x + 1, in_jax.numpy.ones(3))
