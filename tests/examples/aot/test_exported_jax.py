"""jax.export: a file that another process calls, for other platforms and sizes."""

import dataclasses
import os
import re

import numpy as np
import pytest
from aot_files import ROWS, without_package

from jaxvstorch.examples.aot.caches import TWO_DEVICES

pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("flatbuffers", reason="exported functions are written by flatbuffers")


@pytest.fixture
def export(jax):
    from jax import export

    return export


@pytest.fixture
def normalize(jax, in_jax, export):
    return export.export(jax.jit(in_jax.normalize))(ROWS)


def sized(jax, shape):
    return jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape), "float32")


def test_another_process_calls_the_file_without_the_function(normalize, in_jax, tmp_path) -> None:
    path = tmp_path / "normalize.export"
    path.write_bytes(normalize.serialize())
    printed = without_package(
        "import numpy as np\n"
        "from jax import export\n"
        f"program = export.deserialize(bytearray(open({str(path)!r}, 'rb').read()))\n"
        "x = np.arange(16, dtype=np.float32).reshape(4, 4)\n"
        "print(np.asarray(program.call(x)).tolist())\n"
    )
    np.testing.assert_array_equal(np.array(eval(printed), np.float32), in_jax.normalize(ROWS))


def test_a_function_for_other_platforms_is_refused_here(jax, in_jax, export) -> None:
    program = export.export(jax.jit(in_jax.normalize), platforms=("cuda", "tpu"))(ROWS)
    assert program.platforms == ("cuda", "tpu")
    again = export.deserialize(program.serialize())
    if jax.default_backend() == "cpu":
        for call in (program.call, again.call, jax.jit(again.call)):
            with pytest.raises(ValueError, match=r"exported for platforms .* used on '\('cpu',\)'"):
                call(ROWS)


def test_one_file_may_be_for_several_platforms(jax, in_jax, export) -> None:
    program = export.export(jax.jit(in_jax.normalize), platforms=("cpu", "cuda", "tpu"))(ROWS)
    assert program.call(ROWS).shape == (4, 4)


def test_gpu_is_the_name_of_no_platform(jax, in_jax, export) -> None:
    with pytest.raises(RuntimeError, match="Unknown backend: 'gpu'"):
        export.export(jax.jit(in_jax.normalize), platforms=("gpu",))(ROWS)


def test_a_size_that_two_divides(jax, in_jax, export) -> None:
    pool = jax.jit(in_jax.pool_pairs)
    with pytest.raises(Exception, match="Cannot divide evenly"):
        export.export(pool)(sized(jax, "b, 4"))
    program = export.export(pool)(sized(jax, "2*b, 4"))
    assert str(program.out_avals[0]) == "float32[b,4]"
    assert program.call(np.ones((6, 4), np.float32)).shape == (3, 4)
    with pytest.raises(ValueError, match="Division had remainder 1"):
        program.call(np.ones((7, 4), np.float32))


def test_a_remainder_as_a_constraint_does_not_help(jax, in_jax, export) -> None:
    shape = export.symbolic_shape("b, 4", constraints=["mod(b, 2) == 0"])
    with pytest.raises(Exception, match="Cannot divide evenly"):
        export.export(jax.jit(in_jax.pool_pairs))(jax.ShapeDtypeStruct(shape, "float32"))


def test_two_arguments_share_a_size_by_its_name(jax, in_jax, export) -> None:
    m, n, d = export.symbolic_shape("m, n, d")
    shapes = [jax.ShapeDtypeStruct(shape, "float32") for shape in ((m, d), (n, d))]
    program = export.export(jax.jit(in_jax.similarity))(*shapes)
    x = np.ones((3, 5), np.float32)
    assert program.call(x[:2], x).shape == (2, 3)
    with pytest.raises(ValueError, match="Found inconsistency between dimension size"):
        program.call(x, x[:, :4])


def test_convolve_takes_no_symbolic_size(jax, in_jax, export) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        export.export(jax.jit(in_jax.filter_fir))(sized(jax, "n"), np.ones(3, np.float32))


def test_a_derivative_is_there_if_the_file_was_written_with_it(jax, normalize, export) -> None:
    def loss(program):
        return lambda x: (program.call(x) ** 3).sum()

    plain = export.deserialize(normalize.serialize())
    once, twice = (export.deserialize(normalize.serialize(vjp_order=n)) for n in (1, 2))
    assert (plain.has_vjp(), once.has_vjp()) == (False, True)
    with pytest.raises(ValueError, match="No VJP is available"):
        jax.grad(loss(plain))(ROWS)
    assert jax.grad(loss(once))(ROWS).shape == (4, 4)
    sizes = [len(normalize.serialize(vjp_order=n)) for n in range(3)]
    assert sizes == sorted(set(sizes))

    def second(program):
        return jax.grad(lambda x: jax.grad(loss(program))(x).sum())

    assert second(twice)(ROWS).shape == (4, 4)
    with pytest.raises(ValueError, match="No VJP is available"):
        second(once)(ROWS)


def test_it_works_under_jit_and_not_under_vmap_or_forward_derivatives(jax, normalize) -> None:
    assert jax.jit(normalize.call)(ROWS).shape == (4, 4)
    with pytest.raises(NotImplementedError, match="Batching rule for 'call_exported'"):
        jax.vmap(normalize.call)(ROWS[None])
    with pytest.raises(TypeError, match="can't apply forward-mode"):
        jax.jvp(normalize.call, (ROWS,), (ROWS,))


def test_what_holds_python_is_not_written(jax, export) -> None:
    def shown(x):
        jax.debug.print("{}", x)
        return x

    with pytest.raises(NotImplementedError, match="serialization of host_callbacks"):
        export.export(jax.jit(shown))(ROWS)
    with pytest.raises(ValueError, match="must be the result of `jit`"):
        export.export(shown)(ROWS)


def test_captured_arrays_are_in_the_file(jax, export) -> None:
    weights = np.random.default_rng(0).standard_normal((100, 100)).astype(np.float32)
    program = export.export(jax.jit(lambda x: x @ weights))(weights[:2])
    assert len(program.serialize()) > weights.nbytes


def test_a_file_that_lacks_its_last_bytes_only_is_read(export, normalize) -> None:
    text = normalize.serialize()
    whole = export.deserialize(text).call(ROWS)
    np.testing.assert_array_equal(export.deserialize(text[:-1]).call(ROWS), whole)


@pytest.mark.parametrize("kept", [0, 10, 1000])
def test_a_file_that_was_cut_off_says_struct_error(export, normalize, kept) -> None:
    import struct

    with pytest.raises(struct.error, match="unpack_from requires a buffer of at least"):
        export.deserialize(normalize.serialize()[:kept])


def test_a_changed_number_is_not_noticed(export, normalize) -> None:
    changed = normalize.serialize()
    at = changed.index(np.float32(1e-5).tobytes())
    changed[at : at + 4] = np.float32(100).tobytes()
    found = export.deserialize(changed).call(ROWS)
    assert np.abs(found - normalize.call(ROWS)).max() > 0.5


def test_an_executable_needs_to_be_told_its_device_where_there_are_two(tmp_path) -> None:
    path = str(tmp_path / "double")
    settings = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}
    start = (
        "import jax, numpy as np, pickle\n"
        "from jax.experimental import serialize_executable as se\n"
        "x = np.ones(3, np.float32)\n"
    )
    without_package(
        f"{start}compiled = jax.jit(lambda x: 2 * x).lower(x).compile()\n"
        f"pickle.dump(se.serialize(compiled), open({path!r}, 'wb'))\n",
        **settings,
    )
    printed = without_package(
        f"{start}written = pickle.load(open({path!r}, 'rb'))\n"
        "first, second = jax.devices()\n"
        "for options in ({}, {'execution_devices': [second]}, {'execution_devices': [first]}):\n"
        "    try:\n"
        "        print(*se.deserialize_and_load(*written, **options)(x).devices())\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__)\n",
        **settings | TWO_DEVICES,
    )
    assert printed.split() == ["JaxRuntimeError", "KeyError", "cpu:0"]


def test_a_symbol_is_one_at_least(jax, in_jax, export) -> None:
    program = export.export(jax.jit(in_jax.normalize))(sized(jax, "b, 4"))
    assert program.call(ROWS[:1]).shape == (1, 4)
    with pytest.raises(ValueError, match="Expected value >= 1 for dimension variable 'b'"):
        program.call(ROWS[:0])


def test_numbers_of_versions_are_not_looked_at(export, normalize) -> None:
    newer = dataclasses.replace(normalize, calling_convention_version=99)
    again = export.deserialize(newer.serialize())
    assert again.calling_convention_version == 99
    assert again.call(ROWS).shape == (4, 4)
    assert re.match(rb"ML\xefR.StableHLO_v[\d.]+", normalize.mlir_module_serialized)


def test_an_executable_is_written_for_the_devices_of_this_process(jax, in_jax) -> None:
    from jax.experimental import serialize_executable

    compiled = jax.jit(in_jax.normalize).lower(ROWS).compile()
    written = serialize_executable.serialize(compiled)
    again = serialize_executable.deserialize_and_load(*written, execution_devices=jax.devices()[:1])
    np.testing.assert_array_equal(again(ROWS), compiled(ROWS))
    payload, *trees = written
    with pytest.raises(Exception, match="pickle data was truncated"):
        serialize_executable.deserialize_and_load(payload[: len(payload) // 2], *trees)
