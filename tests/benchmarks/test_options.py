"""What the page on options says of them, where it can be told without a clock."""

import os
import subprocess
import sys

import pytest
from needs import needs_compiler

from jaxvstorch._pairs.registry import PAIRS

OPTION = "jax_cpu_enable_async_dispatch"


def test_asynchronous_dispatch_has_no_environment_variable() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    code = f"import jax; print(jax.config.read({OPTION!r}))"
    environment = os.environ | {OPTION.upper(): "false"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.matrix
@needs_compiler
def test_a_region_of_its_own_does_not_compile_with_the_cpp_wrapper() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    (pair,) = [pair for pair in PAIRS if str(pair) == "tracing.nested_layers"]
    arguments = pair.to_framework("torch", pair.make_inputs(16))
    torch.compiler.reset()
    compiled = torch.compile(pair.half("torch"), options={"cpp_wrapper": True})
    with pytest.raises(torch._inductor.exc.InductorError, match="invoke_subgraph is not impl"):
        compiled(*arguments)
    torch.compiler.reset()


@pytest.mark.matrix
@needs_compiler
@pytest.mark.filterwarnings("ignore:.isinstance.treespec, LeafSpec:FutureWarning")  # its own
def test_a_program_compiled_ahead_of_time_gives_the_same(tmp_path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    (pair,) = [pair for pair in PAIRS if str(pair) == "tracing.sin_cos"]
    half, (x,) = pair.half("torch"), pair.to_framework("torch", pair.make_inputs(16))

    class Module(torch.nn.Module):
        def forward(self, x):
            return half(x)

    program = torch.export.export(Module(), (x,))
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "f.pt2"))
    torch.testing.assert_close(torch._inductor.aoti_load_package(path)(x), half(x))


@pytest.mark.matrix
@needs_compiler
@pytest.mark.parametrize(
    ("mode", "is_frozen"),
    [("no_grad", True), ("inference_mode", True), ("enable_grad", False)],
)
def test_freezing_needs_a_call_without_gradients(mode, is_frozen) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.compiler.reset()
    layer, x = torch.nn.Linear(4, 4), torch.ones(2, 4)
    with torch._inductor.config.patch(freezing=True), getattr(torch, mode)():
        compiled = torch.compile(layer)
        before = compiled(x).clone()
        layer.weight.data.zero_()
        assert torch.equal(compiled(x), before) is is_frozen
