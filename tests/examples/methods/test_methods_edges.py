"""What is refused at the edges: custom operators, callbacks, stances, modes and attributes."""

import functools

import numpy as np
import pytest

from jaxvstorch import ledger


def test_an_operator_may_not_return_its_argument(torch) -> None:
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    operator = torch.library.custom_op("jaxvstorch_test::same", same, mutates_args=())
    with pytest.raises(RuntimeError, match=r"must not also be an input[\s\S]*x\.clone\(\)"):
        operator(torch.ones(4))


def test_an_operator_needs_annotations(torch) -> None:
    with pytest.raises(ValueError, match="Parameter x must have a type annotation"):
        torch.library.custom_op("jaxvstorch_test::bare", lambda x: x, mutates_args=())


def test_the_second_of_one_name_takes_the_place_of_the_first(torch) -> None:
    def times(scale):
        def function(x: torch.Tensor) -> torch.Tensor:
            return scale * x

        return torch.library.custom_op("jaxvstorch_test::again", function, mutates_args=())

    first, second = times(1), times(2)
    x = torch.ones(4)
    assert (second(x)[1], torch.ops.jaxvstorch_test.again(x)[1]) == (2, 2)
    del first


def test_some_of_numpy_calls_the_method_of_that_name(jax) -> None:
    program = jax.make_jaxpr(lambda x: np.searchsorted(x, 1.0))(jax.numpy.arange(4.0))
    assert program.out_avals[0].shape == ()
    assert program.eqns


def test_a_64_bit_promise_is_refused_where_these_are_off(jax) -> None:
    with pytest.raises(ValueError, match="cannot specify 64-bit types"):
        jax.pure_callback(np.sin, jax.ShapeDtypeStruct((4,), np.float64), jax.numpy.ones(4))


def test_an_error_of_the_host_function_comes_wrapped(jax) -> None:
    def refuse(x):
        raise ValueError("host says no")

    call = jax.jit(lambda x: jax.pure_callback(refuse, x, x))
    with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: host says no"):
        jax.block_until_ready(call(jax.numpy.ones(4)))


def test_a_stance_cannot_be_set_inside(torch) -> None:
    def inside(x):
        with torch.compiler.set_stance("force_eager"):
            return x + 1

    with pytest.raises(AssertionError, match="forbidden callable <function set_stance"):
        torch.compile(inside, backend="eager", fullgraph=True)(torch.ones(4))


def test_a_mode_and_options_are_refused_together(torch) -> None:
    with pytest.raises(RuntimeError, match="both can't be specified at the same time"):
        torch.compile(lambda x: x, mode="default", options={"max_autotune": True})


def test_a_partial_of_a_method_is_guarded_too(torch, in_torch) -> None:
    scaler, x = in_torch.Scaler(2.0), torch.ones(4)
    method = functools.partial(in_torch.Scaler.apply, scaler)
    compiled = torch.compile(method, backend="eager")
    compiled(x)
    scaler.scale = 10.0
    assert compiled(x)[1] == 10


def test_a_parameter_that_is_frozen_later_compiles_again(torch) -> None:
    module, x = torch.nn.Linear(4, 4), torch.ones(4)
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    compiled(x)
    with torch.no_grad():
        module.weight.fill_(3.0)
    assert ledger(compiled, [(x,)]).programs == [0]
    module.weight.requires_grad_(False)
    assert ledger(compiled, [(x,)]).programs == [1]


def test_a_missing_attribute_is_another_error_with_fullgraph(torch, in_torch) -> None:
    scaler, x = in_torch.Scaler(2.0), torch.ones(4)
    del scaler.scale
    with pytest.raises(AttributeError, match="has no attribute 'scale'"):
        torch.compile(in_torch.Scaler.apply, backend="eager")(scaler, x)
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="has no attribute 'scale'"):
        torch.compile(in_torch.Scaler.apply, backend="eager", fullgraph=True)(scaler, x)


def test_a_ref_keeps_what_each_call_wrote(jax) -> None:
    total = jax.new_ref(jax.numpy.zeros(()))

    @jax.jit
    def apply(x):
        total[...] += x.sum()
        return 2 * x

    for _ in range(2):
        apply(jax.numpy.ones(4))
    assert total[...] == 8
