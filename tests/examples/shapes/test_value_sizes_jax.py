"""Results whose size depends on values: what JAX refuses under jit, and what takes their place."""

import numpy as np
import pytest

X = np.array([1, -2, 3, 0], np.float32)
LENGTHS = np.array([1, 2, 0, 1])


def test_without_jit_a_mask_takes_out_what_it_holds_for(jax, in_jax) -> None:
    assert in_jax.select_mask(jax.numpy.asarray(X), X > 0).tolist() == [1, 3]
    slopes = jax.grad(lambda x: x[x > 0].sum())(X)
    assert slopes.tolist() == [1, 0, 1, 0]


def test_under_jit_a_traced_mask_is_an_error_and_a_numpy_mask_is_none(jax) -> None:
    error = jax.errors.NonConcreteBooleanIndexError
    with pytest.raises(error, match="Array boolean indices must be concrete"):
        jax.jit(lambda x: x[x > 0])(X)
    with pytest.raises(error):
        jax.jit(lambda x: x.at[x < 0].set(0))(X)
    assert jax.jit(lambda x: x[np.array([True, False, True, False])])(X).tolist() == [1, 3]


REFUSED = {
    "nonzero": (lambda np, x: np.nonzero(x), "size argument of jnp.nonzero"),
    "where": (lambda np, x: np.where(x > 0), "size argument of jnp.nonzero"),
    "argwhere": (lambda np, x: np.argwhere(x > 0), "size argument of jnp.nonzero"),
    "unique": (lambda np, x: np.unique(x), "concrete value for the size argument"),
    "setdiff1d": (lambda np, x: np.setdiff1d(x, x[:1]), "setdiff1d"),
    "repeat": (lambda np, x: np.repeat(x, x.astype(int)), "total_repeat_length"),
    "bincount": (lambda np, x: np.bincount(x.astype(int)), "static `length` argument"),
    "arange": (lambda np, x: np.arange(x[0]), "It arose in the jnp.arange argument 'stop'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_size_that_values_decide_is_an_error_under_jit(jax, name: str) -> None:
    function, says = REFUSED[name]
    with pytest.raises(jax.errors.ConcretizationTypeError, match=says):
        jax.jit(lambda x: function(jax.numpy, x))(X)


@pytest.mark.parametrize("name", ["compress", "extract"])
def test_these_are_refused_with_an_error_of_the_same_family(jax, name: str) -> None:
    # JAX 0.10 raises its subclass TracerBoolConversionError, 0.12 the class itself.
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(getattr(jax.numpy, name))(X > 0, X)


def test_a_traced_number_is_no_size_and_ends_no_slice(jax) -> None:
    with pytest.raises(TypeError, match="Shapes must be 1D sequences of concrete values"):
        jax.jit(jax.numpy.zeros)(3)
    # JAX 0.12 also names jax.ds and dynamic_slice.
    with pytest.raises(IndexError, match=r"static integers|static start/stop/step"):
        jax.jit(lambda x, n: x[:n])(X, 3)


GIVEN = {
    "nonzero": (lambda np, x: np.nonzero(x > 0, size=3, fill_value=-1)[0], [0, 2, -1]),
    "flatnonzero": (lambda np, x: np.flatnonzero(x > 0, size=3), [0, 2, 0]),
    "where": (lambda np, x: np.where(x > 0, size=3, fill_value=9)[0], [0, 2, 9]),
    "cut": (lambda np, x: np.flatnonzero(x > 0, size=1), [0]),
    "unique": (lambda np, x: np.unique(x, size=6), [-2, 0, 1, 3, -2, -2]),
    "unique, filled": (lambda np, x: np.unique(x, size=5, fill_value=9), [-2, 0, 1, 3, 9]),
    "unique, cut": (lambda np, x: np.unique(x, size=2), [-2, 0]),
    "union1d": (lambda np, x: np.union1d(x, x[:1], size=5), [-2, 0, 1, 3, -2]),
    "compress": (lambda np, x: np.compress(x > 0, x, size=3, fill_value=0), [1, 3, 0]),
    "extract": (lambda np, x: np.extract(x > 0, x, size=3, fill_value=0), [1, 3, 0]),
    "repeat": (lambda np, x: np.repeat(x, LENGTHS, total_repeat_length=5), [1, -2, -2, 0, 0]),
    "bincount": (lambda np, x: np.bincount(abs(x.astype(int)), length=5), [1, 1, 1, 1, 0]),
}


@pytest.mark.parametrize("name", GIVEN)
def test_with_a_size_they_are_filled_up_and_cut_off_in_silence(jax, name: str) -> None:
    function, expected = GIVEN[name]
    found = jax.jit(lambda x: function(jax.numpy, x))(X)
    assert found.tolist() == expected


def test_the_default_fill_is_a_place_that_exists(jax) -> None:
    """So ``x[places]`` repeats the first number, and its sum is wrong."""

    def total(x, **options):
        return x[jax.numpy.flatnonzero(x > 0, size=4, **options)].sum()

    assert X[X > 0].sum() == 4
    assert jax.jit(total)(X) == 6
    # A place behind the end reads the last number; with mode="fill" and a value it reads that.
    assert jax.jit(lambda x: total(x, fill_value=4))(X) == 4 + 2 * X[-1]

    def filled(x):
        places = jax.numpy.flatnonzero(x > 0, size=4, fill_value=x.size)
        return x.at[places].get(mode="fill", fill_value=0).sum()

    assert jax.jit(filled)(X) == 4


def test_where_keeps_the_shape_and_needs_no_size(jax, in_jax) -> None:
    assert jax.jit(in_jax.mean_selected)(X, X > 0) == X[X > 0].mean()
    assert jax.jit(lambda x: jax.numpy.where(x < 0, 0, x))(X).tolist() == [1, 0, 3, 0]


def test_a_slice_of_fixed_width_may_begin_anywhere_and_is_moved_inside(jax) -> None:
    window = jax.jit(lambda x, start: jax.lax.dynamic_slice(x, (start,), (2,)))
    assert [window(X, start).tolist() for start in (0, 1, 3)] == [[1, -2], [-2, 3], [3, 0]]


def test_the_number_of_results_says_whether_all_had_room(jax, in_jax) -> None:
    select = jax.jit(in_jax.select_positive, static_argnames="size")
    for size, expected in ((3, [1, 3, 0]), (1, [1])):
        kept, count = select(X, size=size)
        assert (kept.tolist(), int(count)) == (expected, 2)


def test_one_program_serves_all_values(jax, in_jax) -> None:
    from jaxvstorch import ledger

    select = jax.jit(lambda x: in_jax.select_positive(x, 3))
    assert ledger(select, [(x,) for x in (X, -X, 0 * X)]).programs == [1, 0, 0]
