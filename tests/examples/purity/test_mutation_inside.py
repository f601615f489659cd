"""Mutation inside a compiled function, done right."""

import numpy as np
import pytest
from purity_inputs import X

from jaxvstorch import ledger


def accumulate(total, x) -> None:
    """For JAX and for PyTorch: both write through to what they were given."""
    total[...] += x.sum()


def test_a_ref_lives_inside_a_jitted_function(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    assert np.array_equal(jax.jit(in_jax.neighbour_sums)(x), [1, 3, 5, 3])
    assert np.array_equal(x, X)
    assert "new_ref" in str(jax.make_jaxpr(in_jax.neighbour_sums)(x))


def test_torch_makes_an_in_place_update_of_a_local_tensor_functional(torch, in_torch) -> None:
    from torch._dynamo.backends.common import aot_autograd

    found = []

    def keep(graph, inputs):
        found.append(graph.code)
        return graph.forward

    x = torch.from_numpy(X)
    got = torch.compile(in_torch.neighbour_sums, backend=aot_autograd(fw_compiler=keep))(x)
    assert got.tolist() == [1, 3, 5, 3]
    assert "add_(" not in found[0]
    assert "slice_scatter" in found[0]


def test_a_ref_argument_keeps_what_every_call_wrote(jax) -> None:
    total, x = jax.new_ref(jax.numpy.zeros(())), jax.numpy.asarray(X)
    jitted = jax.jit(accumulate)
    assert ledger(jitted, [(total, x), (total, x)]).traces == [1, 0]
    assert total[...] == 2 * X.sum()
    total[...] = 100.0
    jitted(total, x)
    assert total[...] == 100 + X.sum()


def test_a_tensor_argument_keeps_what_every_call_wrote(torch) -> None:
    total, x = torch.zeros(()), torch.from_numpy(X)
    compiled = torch.compile(accumulate, backend="aot_eager", fullgraph=True)
    assert ledger(compiled, [(total, x), (total, x)]).traces == [1, 0]
    assert total == 2 * X.sum()


def test_an_array_argument_cannot_be_changed(jax) -> None:
    with pytest.raises(TypeError, match="JAX arrays are immutable"):
        jax.jit(accumulate)(jax.numpy.zeros(()), X)


def test_what_a_ref_must_not_do(jax) -> None:
    ref = jax.new_ref(jax.numpy.zeros(()))
    with pytest.raises(ValueError, match="cannot be returned"):
        jax.jit(lambda x: jax.new_ref(x))(X)
    with pytest.raises(ValueError, match="only one reference"):
        jax.jit(lambda a, b: a[...] + b[...])(ref, ref)


def test_frozen_refs_are_gone(jax) -> None:
    def used_after(x):
        ref = jax.new_ref(x)
        return jax.freeze(ref) + ref[...]

    with pytest.raises(ValueError, match="must be called on `Ref` types"):
        jax.jit(used_after)(X)
