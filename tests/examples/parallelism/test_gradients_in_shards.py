"""Gradients taken inside and outside of shard_map, pmap and local_map."""

import eight_devices as on
import numpy as np
import pytest

from jaxvstorch.examples.parallelism import reference

WIDE = [array.astype(np.float64) for array in on.ARRAYS]
LOSS, *NEW = reference.train_step(*WIDE)
GRADIENTS = [(old - new) / 0.1 for old, new in zip(WIDE[:2], NEW, strict=True)]


def taken(how, check=True):
    """The gradients of the mean loss in both matrices, and the loss."""
    import jax

    from jaxvstorch.examples.parallelism import jax as half

    def mean(value):
        return jax.lax.pmean(value, "data")

    def mean_loss(*args):
        return mean(half.mlp_loss(*args))

    derive = jax.value_and_grad(half.mlp_loss, argnums=(0, 1))
    derive_mean = jax.value_and_grad(mean_loss, argnums=(0, 1))

    def varying(w1, w2, x, y):
        w1, w2 = (jax.lax.pcast(weight, "data", to="varying") for weight in (w1, w2))
        return mean(derive(w1, w2, x, y))

    bodies = {
        "gradients, then their mean": lambda *args: mean(derive(*args)),
        "the gradient of the mean": derive_mean,
        "of varying weights, then their mean": varying,
    }
    specs = (jax.P(), jax.P(), jax.P("data"), jax.P("data"))
    options = {"mesh": on.mesh("Auto"), "in_specs": specs, "out_specs": jax.P()}
    if how == "outside":
        function = jax.shard_map(mean_loss, check_vma=check, **options)
        found = jax.jit(jax.value_and_grad(function, argnums=(0, 1)))(*on.ARRAYS)
    elif how.startswith("pmap: "):
        w1, w2, x, y = on.ARRAYS
        cut = x.reshape(8, 8, 64), y.reshape(8, 8, 64)
        in_axes = {"axis_name": "data", "in_axes": (None, None, 0, 0), "out_axes": None}
        found = jax.pmap(bodies[how.removeprefix("pmap: ")], **in_axes)(w1, w2, *cut)
    else:
        found = jax.jit(jax.shard_map(bodies[how], check_vma=check, **options))(*on.ARRAYS)
    return jax.tree.map(np.asarray, found)


def factor(found):
    """How many times the right gradients these are; None if they are no multiple of them."""
    loss, gradients = found
    np.testing.assert_allclose(loss, LOSS, rtol=1e-5)  # the loss is right in every case
    for times in (1, 8):
        if all(
            np.allclose(ours, times * right, atol=1e-4 * times)
            for ours, right in zip(gradients, GRADIENTS, strict=True)
        ):
            return times
    return None


@pytest.mark.parametrize(
    ("how", "check", "times"),
    [
        ("the gradient of the mean", True, 1),
        ("of varying weights, then their mean", True, 1),
        ("outside", True, 1),
        ("outside", False, 1),
        ("gradients, then their mean", False, 1),
        # A gradient in what is the same everywhere is already a sum over the devices.
        ("gradients, then their mean", True, 8),
        # The mean's transpose makes no copy where nobody knows what is a copy.
        ("the gradient of the mean", False, None),
        ("pmap: gradients, then their mean", True, 1),
        ("pmap: the gradient of the mean", True, None),
    ],
)
def test_the_gradient_depends_on_what_is_known_to_be_a_copy(eight, how, check, times) -> None:
    assert factor(eight(taken, how, check)) == times


def jaxpr_of_the_mean(check):
    """The primitives of the gradient of the mean of a sum."""
    import jax

    def gradient(w, x):
        return jax.grad(lambda w: jax.lax.pmean((w * x).sum(), "data"))(w)

    function = jax.shard_map(
        gradient,
        mesh=on.mesh("Auto"),
        in_specs=(jax.P(), jax.P("data")),
        out_specs=jax.P(),
        check_vma=check,
    )
    w, x = np.float32(2), np.arange(8, dtype=np.float32)
    inner = jax.make_jaxpr(function)(w, x).eqns[0].params["jaxpr"]
    return [str(equation.primitive) for equation in inner.eqns], float(function(w, x))


def test_with_the_check_the_transpose_of_a_copy_is_a_sum(eight) -> None:
    primitives, slope = eight(jaxpr_of_the_mean, True)
    assert primitives[0] == "pvary"
    assert primitives[-1] == "psum_invariant"
    assert slope == np.mean(np.arange(8))


def test_without_it_each_device_keeps_its_own_part(eight) -> None:
    primitives, slope = eight(jaxpr_of_the_mean, False)
    assert "pvary" not in primitives
    assert slope == 0  # the first device's x


@pytest.mark.parametrize(
    ("placement", "times"), [(None, None), ("sum", 8), ("avg", 1)], ids=["copy", "sum", "mean"]
)
def test_local_map_takes_each_ranks_gradient_for_what_it_is_told(
    ranks, in_torch, placement, times
) -> None:
    from torch.distributed._local_tensor import LocalTensorMode
    from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.experimental import local_map

    copy, rows = [Replicate()], [Shard(0)]
    layout = (copy, copy, rows, rows)
    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    options = {}
    if placement:
        part = [Partial(placement)]
        options = {"in_grad_placements": (part, part, rows, rows)}
    with LocalTensorMode(8):
        mean_loss = local_map(
            in_torch.mlp_loss,
            out_placements=[Partial("avg")],
            in_placements=layout,
            device_mesh=mesh,
            **options,
        )
        w1, w2, x, y = (
            distribute_tensor(ranks.tensor(array), mesh, place)
            for array, place in zip(on.ARRAYS, layout, strict=True)
        )
        weights = [weight.detach().requires_grad_() for weight in (w1, w2)]
        loss = mean_loss(*weights, x, y)
        gradients = [g.full_tensor() for g in ranks.autograd.grad(loss, weights)]
        first = [gradient._local_tensors[0].numpy() for gradient in gradients]
        assert factor((loss.full_tensor().reconcile().detach().numpy(), first)) == times


def test_local_map_does_not_check_that_a_copy_is_one(ranks) -> None:
    from torch.distributed._local_tensor import LocalTensorMode
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.experimental import local_map

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    with LocalTensorMode(8):
        x = distribute_tensor(ranks.arange(16.0), mesh, [Shard(0)])
        add_up = local_map(
            lambda x: x.sum(),
            out_placements=[Replicate()],
            in_placements=([Shard(0)],),
            device_mesh=mesh,
        )
        held = add_up(x).to_local()._local_tensors
        assert [float(held[rank]) for rank in range(8)] == [1, 5, 9, 13, 17, 21, 25, 29]
