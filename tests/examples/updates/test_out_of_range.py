"""Indices out of range, and indices that are no integers."""

import numpy as np
import pytest
from needs import needs_compiler

OUTSIDE = [5, -1, -5]  # for four elements; -1 is the last
CLAMPED, FILLED = [3, 3, 0], [np.nan, 3, np.nan]


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize(
    ("mode", "read", "written"),
    [
        (None, CLAMPED, [0, 0, 0, 1]),
        ("promise_in_bounds", CLAMPED, [0, 0, 0, 1]),
        ("clip", CLAMPED, [1, 0, 0, 1]),
        ("fill", FILLED, [0, 0, 0, 1]),
        ("drop", FILLED, [0, 0, 0, 1]),
    ],
)
def test_jax_modes(jax, mode, read, written, jitted: bool) -> None:
    compile_ = jax.jit if jitted else lambda function: function
    x, index = jax.numpy.arange(4.0), jax.numpy.array(OUTSIDE)
    get = compile_(lambda x, index: x.at[index].get(mode=mode))
    put = compile_(lambda x, index: x.at[index].set(1, mode=mode))
    np.testing.assert_array_equal(get(x, index), read)
    np.testing.assert_array_equal(put(0 * x, index), written)


def test_jax_has_wrap_in_take_only(jax) -> None:
    x, index = jax.numpy.arange(4.0), jax.numpy.array(OUTSIDE)
    with pytest.raises(ValueError, match="Unknown gather mode"):
        x.at[index].get(mode="wrap")
    assert jax.numpy.take(x, index, mode="wrap").tolist() == [1, 3, 3]


def test_jax_fills_integers_with_an_extreme(jax) -> None:
    for dtype, value in (("int32", -(2**31)), ("uint8", 255)):
        assert jax.numpy.arange(4, dtype=dtype).at[5].get(mode="fill") == value


def test_a_clamped_read_by_an_array_has_no_gradient_there(jax) -> None:
    x, array = jax.numpy.arange(4.0), jax.numpy.array([5])
    for index, mode, slope in ((array, None, 0), (array, "clip", 1), (5, None, 1)):

        def read(x, index=index, mode=mode):
            return x.at[index].get(mode=mode).sum()

        assert read(x) == 3
        assert jax.grad(read)(x).tolist() == [0, 0, 0, slope]


def test_jax_dynamic_slices_are_moved_inside(jax) -> None:
    x, lax = jax.numpy.arange(4.0), jax.lax
    assert lax.dynamic_slice(x, (9,), (2,)).tolist() == [2, 3]
    assert lax.dynamic_update_slice(x, x[:2], (3,)).tolist() == [0, 1, 0, 1]


def test_checkify_finds_them(jax) -> None:
    from jax.experimental import checkify

    for access in (lambda x, i: x[i], lambda x, i: x.at[i].set(0.0)):
        error, _ = checkify.checkify(access, errors=checkify.index_checks)(jax.numpy.ones(4), 5)
        with pytest.raises(checkify.JaxRuntimeError, match="out-of-bounds indexing"):
            error.throw()


@pytest.mark.parametrize("index", [5, -5])
@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_torch_raises_for_reads_and_writes(torch, index: int, backend) -> None:
    def read(x, i):
        return x[i]

    def write(x, i):
        x[i] = 1.0

    for access in (read, write):
        function = torch.compile(access, backend=backend) if backend else access
        with pytest.raises(IndexError, match="out of bounds for dimension 0 with size 4"):
            function(torch.arange(4.0), torch.tensor([index]))


def test_torch_index_add_and_scatter_add_refuse_negative_indices(torch) -> None:
    last, one = torch.tensor([-1]), torch.ones(1)
    with pytest.raises(IndexError, match="index out of range in self"):
        torch.zeros(4).index_add(0, last, one)
    with pytest.raises(RuntimeError, match="index -1 is out of bounds"):
        torch.zeros(4).scatter_add(0, last, one)


@needs_compiler
def test_what_inductor_writes_raises_too(torch) -> None:
    compiled = torch.compile(lambda x, i: x[i])
    with pytest.raises(RuntimeError, match="index out of bounds"):
        compiled(torch.arange(4.0), torch.tensor([5]))


def test_an_index_must_be_an_integer(jax, torch) -> None:
    with pytest.raises(TypeError, match="must have integer or boolean type"):
        jax.numpy.arange(4.0).at[jax.numpy.array([0.0])].set(1.0)
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        torch.arange(4.0)[torch.tensor([0.0])] = 1.0


def test_a_mask_is_no_index_under_jit(jax) -> None:
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.jit(lambda x: x.at[x > 1].set(1.0))(jax.numpy.arange(4.0))


def test_uint8_is_a_mask_in_torch_and_integers_in_jax(jax, torch) -> None:
    flags = np.array([1, 0, 1, 0], np.uint8)
    assert jax.numpy.arange(4)[flags].tolist() == [1, 0, 1, 0]
    with pytest.warns(UserWarning, match="uint8"):
        assert torch.arange(4)[torch.tensor(flags)].tolist() == [0, 2]
