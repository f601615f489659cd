"""The pairs with their leading axis laid over devices: what has to be sent."""

import eight_devices as on
import numpy as np
import pytest

from jaxvstorch.examples.parallelism import inputs, reference
from jaxvstorch.examples.parallelism.collectives import collectives_in_torch

# Name, inputs, which arguments are cut, what JAX sends, and what PyTorch sends.
ALL_REDUCE = "all-reduce"
CASES = [
    (
        "train_step_in_shards",
        inputs.training_in_shards,
        (0, 0, 1, 1),
        [(ALL_REDUCE, 4 + 2 * 4096)],
        [],
    ),
    ("mlp_column_row", inputs.network_in_shards, (1, 1, 0), [(ALL_REDUCE, 1024)], []),
    ("softmax_in_shards", inputs.vector_in_shards, (1,), [(ALL_REDUCE, 4)] * 2, "the same"),
    ("mean_in_shards", inputs.unequal_shards, (1, 1), [(ALL_REDUCE, 4)] * 2, "refused"),
    ("mean_of_means", inputs.unequal_shards, (1, 1), [(ALL_REDUCE, 4)], "refused"),
    (
        "attention_in_shards",
        inputs.attention,
        (0, 1, 1),
        [(ALL_REDUCE, 32), (ALL_REDUCE, 32), (ALL_REDUCE, 256)],
        [("all-gather", 128)],
    ),
    ("embedding_in_shards", inputs.vocabulary, (1, 0), [(ALL_REDUCE, 1024)], "refused"),
]
NAMES = [case[0] for case in CASES]


def expected(name, make):
    """The answer for the whole, in double precision."""
    arrays = make(256, np.dtype(np.float32), np.random.default_rng(0))
    wide = [array.astype(np.float64) if array.dtype.kind == "f" else array for array in arrays]
    answer = getattr(reference, name)(*wide)
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize(("name", "make", "cut", "sent", "_"), CASES, ids=NAMES)
def test_xla_puts_in_what_has_to_be_combined(eight, name: str, make, cut, sent, _) -> None:
    found, results = eight(on.pair_in_shards, name, make, cut)
    assert found == sent
    results = results if isinstance(results, tuple) else (results,)
    for result, answer in zip(results, expected(name, make), strict=True):
        np.testing.assert_allclose(result.reshape(answer.shape), answer, atol=1e-5)


@pytest.mark.parametrize(("name", "make", "cut", "sent", "asked"), CASES, ids=NAMES)
def test_dtensor_computes_the_same(ranks, in_torch, name: str, make, cut, sent, asked) -> None:
    from torch.distributed._local_tensor import LocalTensor, LocalTensorMode
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (2, 4))
    arrays = make(256, np.dtype(np.float32), np.random.default_rng(0))
    function = getattr(in_torch, name)
    with LocalTensorMode(8):
        args = [
            distribute_tensor(ranks.tensor(array), mesh, [Replicate(), [Replicate(), Shard(0)][c]])
            for array, c in zip(arrays, cut, strict=True)
        ]
        if asked == "refused":  # they make a plain tensor with arange
            with pytest.raises(RuntimeError, match=r"got mixed torch\.Tensor and DTensor"):
                function(*args)
            return
        assert collectives_in_torch(function, *args) == (sent if asked == "the same" else asked)
        results = function(*args)
        results = results if isinstance(results, tuple) else (results,)
        for result, answer in zip(results, expected(name, make), strict=True):
            full = result.full_tensor()
            full = full.reconcile() if isinstance(full, LocalTensor) else full
            np.testing.assert_allclose(full.reshape(answer.shape), answer, atol=1e-5)


def test_the_mean_of_means_is_another_number_where_counts_differ(half, framework: str) -> None:
    from jaxvstorch import frameworks

    x = np.array([[1, 2, 3, 4], [10, 0, 0, 0]], np.float32)
    move = frameworks.adapter(framework).from_numpy
    counts = np.array([4, 1], np.int32)
    assert float(half.mean_in_shards(move(x), move(counts))) == 4
    assert float(half.mean_of_means(move(x), move(counts))) == 6.25


def test_gradients_of_unequal_shards_must_be_weighted_by_their_counts(jax, in_jax) -> None:
    w1, w2, x, y = on.ARRAYS
    slope = jax.grad(in_jax.mlp_loss)
    whole = slope(w1, w2, x, y)
    parts = [slope(w1, w2, x[rows], y[rows]) for rows in (slice(0, 48), slice(48, 64))]
    weighted = (48 * parts[0] + 16 * parts[1]) / 64
    np.testing.assert_allclose(weighted, whole, atol=1e-6)
    assert np.abs((parts[0] + parts[1]) / 2 - whole).max() > 1e-3
