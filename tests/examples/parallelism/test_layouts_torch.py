"""PyTorch: a function as it stands on DTensors of eight ranks, and what they ask for."""

import eight_devices as on
import numpy as np
import pytest

from jaxvstorch.examples.parallelism.collectives import collectives_in_torch

WEIGHTS = 64 * 256 * 4  # bytes of each of the two matrices
BATCH = 64 * 64 * 4


@pytest.fixture
def layout(ranks):
    """Eight ranks with tensors of their own, and the network's arrays laid over a mesh of them."""
    from torch.distributed._local_tensor import LocalTensorMode
    from torch.distributed.tensor import distribute_tensor

    def lay_out(placements, sizes=(8,), names=("data",)):
        mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", sizes, mesh_dim_names=names)
        return [
            distribute_tensor(ranks.tensor(array), mesh, placement)
            for array, placement in zip(on.ARRAYS, placements, strict=True)
        ]

    with LocalTensorMode(8):
        yield lay_out


@pytest.fixture
def how(ranks):
    """The placements of data parallel, of tensor parallel, and a copy everywhere."""
    from torch.distributed.tensor import Replicate, Shard

    copy, rows, columns = [Replicate()], [Shard(0)], [Shard(1)]
    return {"data": [copy, copy, rows, rows], "tensor": [columns, rows, copy, copy], "copy": copy}


def whole(result):
    return result.full_tensor().reconcile().numpy()


@pytest.mark.parametrize("kind", ["data", "tensor"])
def test_the_step_is_the_one_of_one_device(in_torch, ranks, layout, how, kind: str) -> None:
    ours = in_torch.train_step(*layout(how[kind]))
    one = in_torch.train_step(*map(ranks.tensor, on.ARRAYS))
    for result, expected in zip(ours, one, strict=True):
        np.testing.assert_allclose(whole(result), expected.numpy(), atol=1e-5)


def test_data_parallel_leaves_parts_of_a_sum_until_a_copy_is_asked_for(
    in_torch, layout, how
) -> None:
    args = layout(how["data"])
    assert collectives_in_torch(in_torch.train_step, *args) == []
    loss, *weights = in_torch.train_step(*args)
    assert str(loss.placements) == "(Partial(avg),)"
    assert [str(new.placements) for new in weights] == ["(Partial(sum),)"] * 2

    def with_copies(*args):
        return [new.redistribute(placements=how["copy"]) for new in in_torch.train_step(*args)]

    found = collectives_in_torch(with_copies, *args)
    assert found == [("all-reduce", 4), ("all-reduce", WEIGHTS), ("all-reduce", WEIGHTS)]


def test_tensor_parallel_reduces_the_output_forward_and_again_backward(
    in_torch, layout, how
) -> None:
    args = layout(how["tensor"])
    assert collectives_in_torch(in_torch.mlp, *args[:3]) == []
    assert collectives_in_torch(in_torch.mlp_loss, *args) == [("all-reduce", BATCH)]
    assert collectives_in_torch(in_torch.train_step, *args) == [("all-reduce", BATCH)] * 2


def test_a_redistribution_in_the_forward_pass_saves_the_second(
    in_torch, ranks, layout, how
) -> None:
    def gradients(w1, w2, x, y):
        w1, w2 = (weight.detach().requires_grad_() for weight in (w1, w2))
        output = in_torch.mlp(w1, w2, x).redistribute(placements=how["copy"])
        return ranks.autograd.grad(ranks.mean((output - y) ** 2), (w1, w2))

    args = layout(how["tensor"])
    assert collectives_in_torch(gradients, *args) == [("all-reduce", BATCH)]
    one = in_torch.train_step(*map(ranks.tensor, on.ARRAYS))
    for weight, gradient, new in zip(args, gradients(*args), one[1:], strict=False):
        np.testing.assert_allclose(whole(weight - 0.1 * gradient), new.numpy(), atol=1e-5)


def test_torch_func_grad_hides_the_dtensor_from_the_function(ranks, layout, how) -> None:
    def loss(x):
        return x.redistribute(placements=how["copy"]).sum()

    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'redistribute'"):
        ranks.func.grad(loss)(layout(how["data"])[2])


def test_two_axes_of_a_mesh_reduce_shards_only(in_torch, layout) -> None:
    from torch.distributed.tensor import Replicate, Shard

    copy, rows, columns = Replicate(), Shard(0), Shard(1)
    placements = [(copy, columns), (copy, rows), (rows, copy), (rows, copy)]
    w1, w2, x, _ = layout(placements, (2, 4), ("data", "model"))
    assert str(in_torch.mlp(w1, w2, x).placements) == "(Shard(dim=0), Partial(sum))"

    def output(w1, w2, x):
        return in_torch.mlp(w1, w2, x).redistribute(placements=(rows, copy))

    assert collectives_in_torch(output, w1, w2, x) == [("all-reduce", BATCH // 2)]


def test_two_layouts_that_meet_are_brought_together_by_a_collective(layout, how) -> None:
    rows, other = layout(how["data"])[2:]
    columns = other.redistribute(placements=how["tensor"][0])
    assert collectives_in_torch(lambda: rows + columns) == [("all-to-all", BATCH // 8)]


def test_a_plain_tensor_does_not_mix_with_a_dtensor(ranks, layout, how) -> None:
    x = layout(how["data"])[2]
    with pytest.raises(RuntimeError, match=r"got mixed torch\.Tensor and DTensor"):
        x + ranks.ones(64, 64)


def test_without_local_tensors_the_fake_group_gives_wrong_numbers(ranks, in_torch, how) -> None:
    from torch.distributed.tensor import distribute_tensor

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    x = distribute_tensor(ranks.tensor(on.ARRAYS[2]), mesh, how["data"][2])
    assert x.full_tensor().shape == (64, 64)
    assert not ranks.equal(x.full_tensor(), ranks.tensor(on.ARRAYS[2]))


def test_parallelize_module_makes_the_same_layouts_and_one_all_reduce(ranks) -> None:
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    first, second = (ranks.nn.Linear(*shape, bias=False) for shape in ((64, 256), (256, 64)))
    network = ranks.nn.Sequential(first, ranks.nn.Tanh(), second)
    parallelize_module(network, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    placements = [str(parameter.placements) for parameter in network.parameters()]
    assert placements == ["(Shard(dim=0),)", "(Shard(dim=1),)"]  # a Linear has its matrix turned
    found = collectives_in_torch(lambda x: network(x).sum(), ranks.ones(64, 64))
    assert found == [("all-reduce", BATCH)]


def test_the_older_names_of_two_collectives_are_deprecated(ranks) -> None:
    one, eight = ranks.ones(1), ranks.ones(8)
    with pytest.warns(FutureWarning, match="use `torch.distributed.all_gather_single`"):
        ranks.distributed.all_gather_into_tensor(eight, one)
    with pytest.warns(FutureWarning, match="use `torch.distributed.reduce_scatter_single`"):
        ranks.distributed.reduce_scatter_tensor(one, eight)


def test_comm_debug_mode_counts_them_too(in_torch, layout, how) -> None:
    from torch.distributed.tensor.debug import CommDebugMode

    args = layout(how["tensor"])
    with CommDebugMode() as counted:
        in_torch.train_step(*args)
    assert counted.get_total_counts() == 2
    assert [str(name) for name in counted.get_comm_counts()] == ["c10d_functional.all_reduce"]


def test_torch_compile_keeps_them_in_its_graph(ranks, in_torch, how) -> None:
    from torch._dynamo.backends.common import aot_autograd
    from torch.distributed.tensor import distribute_tensor

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    args = [
        distribute_tensor(ranks.tensor(array), mesh, placement)
        for array, placement in zip(on.ARRAYS, how["tensor"], strict=True)
    ]
    seen: list[str] = []

    def note(graph, inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph.forward

    backend = aot_autograd(fw_compiler=note)
    ranks.compile(in_torch.train_step, backend=backend, fullgraph=True)(*args)
    assert seen.count("_c10d_functional.all_reduce.default") == 2
