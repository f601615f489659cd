"""Default dtypes, who yields to whom, and what wraps around without a word."""

import itertools
import warnings

import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "bfloat16", "float16", "float32", "complex64"]
WIDE = ["int64", "float64", "complex128"]


def name(x) -> str:
    return str(x.dtype).removeprefix("torch.")


@pytest.mark.parametrize(
    ("make", "in_jax_it_is", "in_torch_it_is"),
    [
        (lambda n, array: n.arange(3), "int32", "int64"),
        (lambda n, array: array([1, 2]), "int32", "int64"),
        (lambda n, array: array([1.0]), "float32", "float32"),
        (lambda n, array: array(np.ones(2)), "float32", "float64"),
        (lambda n, array: array([True, True]).sum(), "int32", "int64"),
        (lambda n, array: array(np.uint8([1, 2])).sum(), "uint32", "int64"),
        (lambda n, array: array(np.int8([1, 2])).sum(), "int32", "int64"),
        (lambda n, array: array(np.int8([1, 2])).cumsum(0), "int8", "int64"),
        (lambda n, array: array(np.int8([1, 2])).max(), "int8", "int8"),
        (lambda n, array: array([1.0, 2.0]).argmax(), "int32", "int64"),
        (lambda n, array: n.argsort(array([2, 1])), "int32", "int64"),
        (lambda n, array: array([3]) / array([2]), "float32", "float32"),
        (lambda n, array: n.sqrt(array(4)), "float32", "float32"),
        (lambda n, array: n.bincount(array([0])), "int32", "int64"),
        (lambda n, array: n.all(array(np.uint8([1]))), "bool", "uint8"),
    ],
    ids=[
        *("arange", "list", "floats", "numpy", "bools", "bytes", "eights", "cumsum", "max"),
        *("argmax", "argsort", "quotient", "root", "bincount", "all"),
    ],
)
def test_default_dtypes(jax, torch, make, in_jax_it_is, in_torch_it_is) -> None:
    assert name(make(jax.numpy, jax.numpy.array)) == in_jax_it_is
    assert name(make(torch, torch.tensor)) == in_torch_it_is


def test_arrays_with_axes_promote_alike_with_64_bits_too(jax, torch) -> None:
    with jax.enable_x64(True):
        for pair in itertools.combinations_with_replacement([*DTYPES, *WIDE], 2):
            ours = jax.numpy.promote_types(*pair)
            theirs = torch.promote_types(*(getattr(torch, d) for d in pair))
            assert f"torch.{ours}" == str(theirs), pair


def test_pytorch_adds_no_wide_unsigned_integers(jax, torch) -> None:
    for dtype in ("uint16", "uint32", "uint64"):
        x = torch.ones(2, dtype=getattr(torch, dtype))
        for other in (x, torch.ones(2, dtype=torch.int32)):
            with pytest.raises((RuntimeError, NotImplementedError)):
                x + other
    ones = jax.numpy.ones
    assert (ones(2, "uint16") + ones(2, "int32")).dtype == "int32"
    assert (ones(2, "uint32") + ones(2, "int32")).dtype == "int32"  # int64 with 64-bit types
    with jax.enable_x64(True):
        assert (ones(2, "uint32") + ones(2, "int32")).dtype == "int64"
        assert (ones(2, "uint64") + ones(2, "int32")).dtype == "float64"


def test_where_a_weak_type_comes_from_and_goes(jax) -> None:
    jnp = jax.numpy
    weak = (jnp.asarray(1.0), jnp.asarray(1), jnp.asarray(1.0) * 2, jnp.full(2, 1.0))
    strong = (jnp.ones(2), jnp.array([1, 2]), jnp.asarray(1.0, "float32"), jnp.float32(1))
    assert all(x.weak_type for x in weak)
    assert not any(x.weak_type for x in (*strong, weak[0] + strong[0]))
    assert not weak[0].astype("float32").weak_type
    assert jnp.array(1).weak_type


def test_what_a_tensor_without_axes_does_to_integers(jax, torch) -> None:
    narrow = torch.tensor([1], dtype=torch.int8)
    assert (narrow + torch.tensor(200, dtype=torch.int32)).tolist() == [-55]
    ours = jax.numpy.array([1], "int8")
    assert (ours + jax.numpy.int32(200)).tolist() == [201]
    assert (narrow + 200).tolist() == (ours + 200).tolist() == [-55]


def test_64_bits_are_cut_off_where_they_come_from_numpy(jax) -> None:
    jnp = jax.numpy
    with warnings.catch_warnings(action="error"):
        assert jnp.asarray(np.array([2**31])).tolist() == [-(2**31)]
        assert jnp.arange(2**31, 2**31 + 2).tolist() == [-(2**31), 1 - 2**31]
    for value in (2**31, [2**31]):
        with pytest.raises(OverflowError):
            jnp.asarray(value)


def test_sums_overflow_in_jax_where_pytorch_widens(jax, torch) -> None:
    x = np.int32([2**30] * 4)
    assert jax.numpy.array(x).sum() == 0
    assert torch.tensor(x).sum() == 2**32
    assert torch.tensor(x).sum(dtype=torch.int32) == 0
    assert jax.numpy.array(x).mean() == 2**30
    assert jax.numpy.array(x).sum(dtype="float32") == 2.0**32
    eight = np.int8([100, 100])
    assert jax.numpy.array(eight).cumsum().tolist() == [100, -56]
    assert torch.tensor(eight).cumsum(0).tolist() == [100, 200]
    assert jax.numpy.array(eight) @ jax.numpy.array(eight) == 32
    assert torch.tensor(eight) @ torch.tensor(eight) == 32


def test_booleans(jax, torch) -> None:
    for array, error in ((jax.numpy.array, TypeError), (torch.tensor, RuntimeError)):
        one = array([True])
        assert (one + one).tolist() == [True]
        with pytest.raises(error):
            one - one
    assert (jax.numpy.array([True]) + 1).dtype == "int32"
    assert (torch.tensor([True]) + 1).dtype == torch.int64


def test_what_pytorch_refuses_for_integers(jax, torch) -> None:
    jnp, counts = jax.numpy, torch.tensor([3, 4])
    for refused in (
        lambda: counts.mean(),
        lambda: torch.linalg.norm(counts),
        lambda: torch.quantile(counts, 0.5),
        lambda: counts @ torch.ones(2),
    ):
        with pytest.raises(RuntimeError):
            refused()
    ours = jnp.array([3, 4])
    assert (ours.mean(), jnp.linalg.norm(ours), jnp.quantile(ours, 0.5)) == (3.5, 5, 3.5)
    assert ours @ jnp.ones(2) == 7
