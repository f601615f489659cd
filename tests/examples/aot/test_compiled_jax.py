"""What a program accepts that JAX compiled ahead of time, and what it refuses."""

import os
from collections import OrderedDict

import numpy as np
import pytest
from aot_files import ROWS, without_package

from jaxvstorch.examples.aot.caches import TWO_DEVICES


@pytest.fixture
def normalize(jax, in_jax):
    """Compiled for four rows of four numbers."""
    return jax.jit(in_jax.normalize).lower(ROWS).compile()


@pytest.fixture
def params():
    return {
        "hidden": np.ones((4, 8), np.float32),
        "bias": np.ones(8, np.float32),
        "output": np.ones((8, 3), np.float32),
    }


def test_each_stage_is_a_method_of_the_one_before(jax, in_jax) -> None:
    traced = jax.jit(in_jax.normalize).trace(ROWS)
    lowered = traced.lower()
    assert " square " in str(traced.jaxpr)
    assert "stablehlo.reduce(" in lowered.as_text()
    assert " fusion(" in lowered.compile().as_text()
    assert traced.out_info.shape == lowered.out_info.shape == (4, 4)


def test_lowering_needs_no_numbers(jax, in_jax, normalize) -> None:
    shape = jax.ShapeDtypeStruct((4, 4), "float32")
    from_shape = jax.jit(in_jax.normalize).lower(shape).compile()
    np.testing.assert_array_equal(from_shape(ROWS), normalize(ROWS))


def test_costs_and_memory_are_told(normalize) -> None:
    costs, memory = normalize.cost_analysis(), normalize.memory_analysis()
    assert costs["flops"] > 0
    assert costs["transcendentals"] == 4  # a root for each row
    assert memory.argument_size_in_bytes == memory.output_size_in_bytes == 4 * 4 * 4


def test_costs_before_and_after_optimising_differ(jax, in_jax, normalize) -> None:
    before = jax.jit(in_jax.normalize).lower(ROWS).cost_analysis()
    assert before["bytes accessed"] > normalize.cost_analysis()["bytes accessed"]


@pytest.mark.parametrize(
    "x",
    [ROWS[:3], ROWS[0], ROWS.astype(np.float16), ROWS.astype(np.int32)],
    ids=["rows", "rank", "half", "int"],
)
def test_another_shape_or_dtype_is_refused(normalize, x) -> None:
    with pytest.raises(TypeError, match=r"compiled with float32\[4,4\] and called with"):
        normalize(x)


def test_numpy_s_float64_becomes_float32_first(normalize) -> None:
    assert normalize(ROWS.astype(np.float64)).dtype == np.float32


def test_float64_is_refused_once_64_bits_are_on(jax, normalize) -> None:
    with jax.enable_x64(True), pytest.raises(TypeError, match="different enable_x64 mode"):
        normalize(ROWS.astype(np.float64))


def test_a_list_is_no_array(normalize) -> None:
    with pytest.raises(TypeError, match="does not match the input pytree"):
        normalize(ROWS.tolist())


def test_an_argument_by_name_is_another_tree(normalize) -> None:
    with pytest.raises(TypeError, match="does not match the input pytree"):
        normalize(x=ROWS)


def test_a_dict_has_no_order_and_keeps_its_class_and_keys(jax, in_jax, params) -> None:
    predict = jax.jit(in_jax.predict).lower(params, ROWS).compile()
    backwards = dict(reversed(params.items()))
    np.testing.assert_array_equal(predict(backwards, ROWS), predict(params, ROWS))
    for wrong in (OrderedDict(params), {**params, "more": ROWS}, {"bias": params["bias"]}):
        with pytest.raises(TypeError, match="does not match the input pytree"):
            predict(wrong, ROWS)


def test_a_python_number_may_be_any_of_its_kind(jax, in_jax) -> None:
    x = ROWS[0]
    amplify = jax.jit(in_jax.amplify).lower(x, 0.5).compile()
    assert amplify.in_avals[0][1].weak_type
    for gain in (0.25, np.float32(0.25), np.float64(0.25), jax.numpy.float32(0.25)):
        np.testing.assert_allclose(amplify(x, gain), np.tanh(x / 4), rtol=1e-6)
    for gain in (2, True, np.float16(0.25), jax.numpy.bfloat16(0.25)):
        with pytest.raises(TypeError, match="Argument 'gain' compiled with float32"):
            amplify(x, gain)


@pytest.mark.parametrize("how", [{"static_argnames": "count"}, {"static_argnums": 1}])
def test_a_static_argument_is_left_out_of_the_call(jax, in_jax, how) -> None:
    x = np.arange(8, dtype=np.float32)
    recent = jax.jit(in_jax.recent_mean, **how).lower(x, 2).compile()
    assert recent(x) == 6.5
    for wrong in ((x, 2), (x, 3)):
        with pytest.raises(TypeError, match="does not match the input pytree"):
            recent(*wrong)


def test_transformations_refuse_it(jax, normalize) -> None:
    uses = (
        jax.jit(normalize),
        jax.grad(lambda x: normalize(x).sum()),
        jax.vmap(lambda row: normalize(row)),
        jax.make_jaxpr(normalize),
    )
    for use in uses:
        with pytest.raises(TypeError, match="Cannot apply JAX transformations"):
            use(np.stack([ROWS] * 2) if use is uses[2] else ROWS)


def test_what_is_inside_was_transformed_before(jax, in_jax) -> None:
    gradient = jax.jit(jax.grad(lambda x: (in_jax.normalize(x) ** 2).sum()))
    assert gradient.lower(ROWS).compile()(ROWS).shape == (4, 4)


def test_it_stays_a_constant_inside_another_program(jax, normalize) -> None:
    program = jax.jit(lambda y: normalize(ROWS) + y)
    np.testing.assert_allclose(program(1.0), normalize(ROWS) + 1)


def test_an_unknown_option_of_the_compiler_is_refused(jax, in_jax) -> None:
    lowered = jax.jit(in_jax.normalize).lower(ROWS)
    with pytest.raises(jax.errors.JaxRuntimeError, match="No such compile option: 'nonsense'"):
        lowered.compile(compiler_options={"nonsense": True})


def test_an_array_that_was_put_on_another_device_is_refused() -> None:
    """Two devices need a process of their own."""
    printed = without_package(
        "import jax, numpy as np\n"
        "first, second = jax.devices()\n"
        "x = np.ones(3, np.float32)\n"
        "double = jax.jit(lambda x: 2 * x)\n"
        "program = double.lower(jax.device_put(x, second)).compile()\n"
        "assert program(x).devices() == {second}\n"
        "assert double(jax.device_put(x, first)).devices() == {first}\n"
        "try:\n"
        "    program(jax.device_put(x, first))\n"
        "except ValueError as error:\n"
        "    print(error)\n",
        **os.environ | TWO_DEVICES | {"JAX_PLATFORMS": "cpu"},
    )
    assert printed.startswith("Computation was compiled for input shardings that disagree")


def test_the_jitted_function_finds_what_was_compiled_ahead(jax, in_jax, compiled_by_jax) -> None:
    jitted = jax.jit(in_jax.normalize)
    jitted.lower(ROWS).compile()
    jitted(ROWS)
    assert compiled_by_jax == ["jit(normalize)"]
