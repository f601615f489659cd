"""What a step is made of, and the state that it keeps."""

import pytest
from needs import needs_compiler

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from torch import optim  # noqa: E402
from torch._dynamo.testing import CompileCounter  # noqa: E402
from torch.nn import Parameter  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402


def test_the_state_of_adam_is_twice_the_parameters() -> None:
    parameters = {"weight": jnp.zeros((100, 100)), "bias": jnp.zeros(100)}
    own = sum(x.nbytes for x in jax.tree.leaves(parameters))
    state = optax.adamw(1e-3).init(parameters)
    assert sum(x.nbytes for x in jax.tree.leaves(state)) == 2 * own + 4
    tensors = [Parameter(torch.zeros(100, 100)), Parameter(torch.zeros(100))]
    optimizer = optim.AdamW(tensors)
    assert not optimizer.state  # it comes with the first step
    for parameter in tensors:
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    bytes_ = sum(x.nbytes for entry in optimizer.state.values() for x in entry.values())
    assert bytes_ == 2 * own + 2 * 4  # each parameter counts its own steps


class Operations(TorchDispatchMode):
    """Counts what changes or makes tensors."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        if function.namespace == "aten" and "scalar_dense" not in str(function):
            self.names.append(function.name())
        return function(*arguments, **(keywords or {}))


def adamw(count, **options):
    parameters = [Parameter(torch.ones(3)) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = torch.ones(3)
    return optim.AdamW(parameters, **options)


def operations(count, **options):
    optimizer = adamw(count, **options)
    optimizer.step()
    with Operations() as seen:
        optimizer.step()
    return seen.names


def test_how_many_operations_a_step_of_adamw_is() -> None:
    for count in (1, 8):
        assert len(operations(count)) == len(operations(count, foreach=False)) == 9 * count
        assert len(operations(count, fused=True)) == 2
    assert len(operations(8, foreach=True)) == len(operations(2, foreach=True)) < 12
    assert "aten::_fused_adamw_" in operations(2, fused=True)


def test_torch_compile_makes_one_graph_of_a_step_and_none_of_a_fused_one() -> None:
    for options, graphs in (({}, 1), ({"foreach": True}, 1), ({"fused": True}, 0)):
        torch.compiler.reset()
        counter, optimizer = CompileCounter(), adamw(2, **options)
        torch.compile(optimizer.step, backend=counter)()
        assert counter.frame_count == graphs


@needs_compiler
def test_inductor_writes_two_kernels_for_each_parameter() -> None:
    from torch._inductor import metrics

    for count in (1, 3):
        torch.compiler.reset()
        metrics.reset()
        torch.compile(adamw(count).step)()
        assert metrics.generated_kernel_count == 2 * count
