"""The ways out of a program of ``jax.jit``: what is called, how often, and what is refused."""

from functools import partial

import numpy as np
import pytest


@pytest.fixture
def x(jax):
    return jax.numpy.arange(4.0)


@pytest.fixture
def host(jax):
    """A function of NumPy, through ``pure_callback``; ``host.seen`` are the shapes it got."""

    def look(x):
        call.seen.append(x.shape)
        return np.sin(x)

    def call(x, **options):
        return jax.pure_callback(look, jax.ShapeDtypeStruct(x.shape, x.dtype), x, **options)

    call.seen = []
    return call


@pytest.fixture
def record():
    """Keeps the sums of what it got, in ``record.seen``."""

    def keep(x):
        keep.seen.append(float(np.sum(x)))

    keep.seen = []
    return keep


def test_numpy_cannot_take_a_tracer(jax, x) -> None:
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(lambda x: np.sin(x))(x)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(lambda x: np.interp(x, (0, 1), (0, 1)))(x)


def test_some_of_numpy_calls_the_method_of_that_name(jax, x) -> None:
    program = jax.make_jaxpr(lambda x: np.searchsorted(x, 1.0))(x)
    assert program.out_avals[0].shape == ()
    assert program.eqns


def test_a_pure_callback_gets_arrays_and_its_result_is_part_of_the_program(jax, x, host) -> None:
    result = jax.jit(lambda x: 2 * host(x))(x)
    np.testing.assert_allclose(result, 2 * np.sin(np.arange(4)), rtol=1e-6)
    assert host.seen == [(4,)]


def test_a_pure_callback_whose_result_is_not_used_is_not_called(jax, x, host) -> None:
    jax.block_until_ready(jax.jit(lambda x: (host(x), x + 1)[1])(x))
    assert host.seen == []


def test_it_is_called_on_each_call_and_for_each_use(jax, x, host) -> None:
    twice = jax.jit(lambda x: host(x) + host(x))
    for _ in range(2):
        jax.block_until_ready(twice(x))
    assert len(host.seen) == 4


def test_it_has_no_derivative(jax, x, host) -> None:
    with pytest.raises(ValueError, match="Pure callbacks do not support JVP"):
        jax.grad(lambda x: host(x).sum())(x)


def test_vmap_must_be_told_how(jax, x, host) -> None:
    batch = x.reshape(2, 2)
    with pytest.raises(NotImplementedError, match="vmap_method is one of"):
        jax.vmap(host)(batch)
    for method, shapes in (("sequential", [(2,), (2,)]), ("expand_dims", [(2, 2)])):
        host.seen.clear()
        jax.block_until_ready(jax.vmap(partial(host, vmap_method=method))(batch))
        assert host.seen == shapes


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.ones(4, np.float32), r"Incorrect output shape .* Expected: \(3,\), Actual: \(4,\)"),
        (np.ones(3, np.int32), "Incorrect output dtype .* Expected: float32, Actual: int32"),
        ((np.ones(3, np.float32),) * 2, r"number of outputs from callback. Expected: 1, Actual: 2"),
    ],
    ids=["shape", "dtype", "number"],
)
def test_a_promise_that_is_not_kept_is_an_error_while_it_runs(jax, result, message) -> None:
    def call(x):
        return jax.pure_callback(lambda _: result, jax.ShapeDtypeStruct((3,), x.dtype), x)

    compiled = jax.jit(call).lower(jax.numpy.ones(3)).compile()  # not yet
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(compiled(jax.numpy.ones(3)))


def test_a_wider_float_is_narrowed_without_a_word(jax) -> None:
    def call(x):
        return jax.pure_callback(
            lambda _: np.full(3, 1 / 3), jax.ShapeDtypeStruct((3,), x.dtype), x
        )

    assert jax.jit(call)(jax.numpy.ones(3)).dtype == np.float32


def test_a_64_bit_promise_is_refused_where_these_are_off(jax, x) -> None:
    with pytest.raises(ValueError, match="cannot specify 64-bit types"):
        jax.pure_callback(np.sin, jax.ShapeDtypeStruct((4,), np.float64), x)


def test_an_error_of_the_host_function_comes_wrapped(jax, x) -> None:
    def refuse(x):
        raise ValueError("host says no")

    with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: host says no"):
        jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(refuse, x, x))(x))


def test_the_program_is_cut_where_the_callback_stands(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    text = jax.jit(in_jax.calibrated_host).lower(x).compile().as_text()
    assert text.count("custom_call_target=") == 1
    assert text.count(" fusion(") == 2  # before it and after it
    whole = jax.jit(lambda x: jax.numpy.sin(jax.numpy.tan(2 * x))).lower(x).compile().as_text()
    assert whole.count(" fusion(") == 1


def test_a_rule_of_your_own_gives_the_derivative_in_both_directions(jax) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    x = jax.numpy.array([-2.5, -0.7, 0.3, 2.0])
    slopes = jax.vmap(jax.grad(in_jax._curve))(x)
    np.testing.assert_allclose(slopes, [0.0, 1.0, 0.4, 0.0], rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(in_jax._curve, (x,), (x,))[1], slopes * x, rtol=1e-6)


def test_between_two_programs_numpy_cannot_be_compiled(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(in_jax.calibrated_between)(x)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.grad(lambda x: in_jax.calibrated_between(x).sum())(x)


@pytest.mark.parametrize("ordered", [False, True])
def test_an_io_callback_is_kept_although_nothing_uses_it(jax, x, record, ordered) -> None:
    from jax.experimental import io_callback

    @jax.jit
    def function(x):
        io_callback(record, None, x, ordered=ordered)
        return x + 1

    for _ in range(3):
        function(x)
    jax.effects_barrier()
    assert record.seen == [6, 6, 6]


def test_an_ordered_io_callback_keeps_the_order_also_in_a_loop(jax, x, record) -> None:
    from jax.experimental import io_callback

    def step(carry, y):
        io_callback(record, None, y, ordered=True)
        io_callback(record, None, -y, ordered=True)
        return carry, y

    jax.jit(lambda x: jax.lax.scan(step, 0.0, x))(x)
    jax.effects_barrier()
    assert record.seen == [0, -0.0, 1, -1, 2, -2, 3, -3]


@pytest.mark.parametrize("ordered", [False, True])
def test_an_io_callback_has_no_derivative_and_vmap_only_without_order(
    jax, x, record, ordered
) -> None:
    from jax.experimental import io_callback

    def function(x):
        io_callback(record, None, x, ordered=ordered)
        return (2 * x).sum()

    with pytest.raises(ValueError, match="IO callbacks do not support JVP"):
        jax.grad(function)(x)
    if ordered:
        with pytest.raises(ValueError, match="Cannot `vmap` ordered IO callback"):
            jax.vmap(function)(x.reshape(2, 2))
    else:
        jax.vmap(function)(x.reshape(2, 2))
        jax.effects_barrier()
        assert sorted(record.seen) == [1, 5]


def test_a_debug_callback_lets_derivatives_and_batches_through(jax, x, record) -> None:
    def function(x):
        jax.debug.callback(record, x)
        return (2 * x).sum()

    assert jax.grad(function)(x).tolist() == [2, 2, 2, 2]
    jax.effects_barrier()
    assert record.seen == [6]
    jax.vmap(function)(x.reshape(2, 2))
    jax.effects_barrier()
    assert sorted(record.seen[1:]) == [1, 5]


def test_recorded_records_each_call(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    in_jax.sums.clear()
    compiled = jax.jit(in_jax.recorded)
    for scale in (1, 2, 3):
        compiled(scale * x)
    jax.effects_barrier()
    assert list(in_jax.sums) == [6, 12, 18]
    in_jax.sums.clear()


def test_a_program_with_a_callback_cannot_be_exported(jax, x, host) -> None:
    from jax import export

    with pytest.raises(NotImplementedError, match="serialization of host_callbacks"):
        export.export(jax.jit(host))(x)
