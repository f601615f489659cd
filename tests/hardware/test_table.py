"""The table of what compilers make of programs."""

import pytest

from jaxvstorch._hardware import hardware_table
from jaxvstorch._hardware.analysis import analyse
from jaxvstorch._hardware.program import programs
from jaxvstorch._hardware.quantities import amount, count
from jaxvstorch._hardware.recorded import recorded
from jaxvstorch._table import NONE

ONE = "updates.fill_rows, donated"


def test_it_has_a_column_for_each_device_that_says_something() -> None:
    assert hardware_table("updates.fill_rows", here=False).heads == ("program", "H100", "TPU v5e")
    heads = hardware_table("updates.fill_rows", here=False, of="moved").heads
    assert heads == ("program", "TPU v5e", "H100, Inductor")
    assert hardware_table(ONE, here=False, of="moved").heads == ("program", "TPU v5e")
    assert hardware_table(ONE, here=False, of="estimate").heads == ("program", "TPU v5e")


def test_a_name_is_that_of_a_program_a_function_or_a_topic() -> None:
    every = [str(program) for program in programs()]
    assert [row[0] for row in hardware_table(here=False).rows] == every
    topic = [name for name in every if name.startswith("updates.")]
    assert [row[0] for row in hardware_table("updates", here=False).rows] == topic
    function = [name for name in every if name.startswith("updates.fill_rows")]
    assert [row[0] for row in hardware_table("updates.fill_rows", here=False).rows][1:] == function[
        1:
    ]
    assert [row[0] for row in hardware_table(ONE, here=False).rows] == [ONE]


def test_several_quantities_have_a_row_each() -> None:
    table = hardware_table(ONE, of=("reused", "loops"), here=False)
    reused = amount(recorded().programs[ONE].xla["h100"].aliased)
    assert table.heads == ("program", "what", "H100", "TPU v5e")
    assert [row[:3] for row in table.rows] == [(ONE, "reused", reused), (ONE, "loops", "1")]


def test_what_is_counted_with_one_step_of_each_loop_has_a_star() -> None:
    (row,) = hardware_table(ONE, of="estimate", here=False).rows
    assert row[-1].endswith("s *")
    (row,) = hardware_table("updates.cumulative_histogram", of="estimate", here=False).rows
    assert row[-1].endswith("s")


def test_it_says_that_nothing_of_it_ran_when_it_was_compiled_and_by_what() -> None:
    table = hardware_table(ONE, here=False)
    for text in (str(table), table._repr_html_()):
        assert f"Compiled on {recorded().date}, but not run" in text
        assert f"libtpu {recorded().versions['libtpu']}" in text


def test_a_cell_without_a_number_is_left_out_on_a_phone() -> None:
    html = hardware_table("updates.ring_write", of="moved", here=False)._repr_html_()
    assert '<td data-column="H100, Inductor" data-none>-</td>' in html
    assert html.count("<tr>") == 3


def test_an_unknown_name_is_refused_and_the_nearest_named() -> None:
    with pytest.raises(LookupError, match=r"nearest is updates\.fill_rows"):
        hardware_table("updates.fill_row")
    with pytest.raises(LookupError, match=r"'nope' is compiled .*hardware_table\(\) shows what is"):
        hardware_table("nope")
    with pytest.raises(LookupError, match="no quantity is called 'speed'; choose from memory"):
        hardware_table(of="speed")


def test_each_program_has_one_row() -> None:
    assert (
        hardware_table("updates", ONE, here=False).rows
        == hardware_table("updates", here=False).rows
    )


def test_a_program_that_is_listed_and_not_compiled_says_what_to_run(monkeypatch) -> None:
    monkeypatch.delitem(recorded().programs, ONE)
    with pytest.raises(LookupError, match="not compiled yet; run `nox -s hardware`"):
        hardware_table(ONE, here=False)


def test_it_mentions_this_cpu_only_if_it_has_a_column() -> None:
    assert "this CPU" not in hardware_table(ONE, here=False).note
    assert "Triton did not compile it" in hardware_table(ONE, here=False).note


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, NONE), (0, "0 B"), (12, "12 B"), (1000, "1.00 kB"), (999_600, "1.00 MB")],
)
def test_bytes_have_three_digits_and_a_unit(value, text) -> None:
    assert amount(value).replace("\N{NO-BREAK SPACE}", " ") == text


def test_operations_have_three_digits_and_a_word() -> None:
    assert count(24) == "24"
    assert count(2_149_580_800).replace("\N{NO-BREAK SPACE}", " ") == "2.15 billion"


def test_the_column_of_this_cpu_is_what_jax_compiles_here() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch._hardware import lowering

    (program,) = [each for each in programs() if str(each) == ONE]
    table = hardware_table(ONE, of="reused")
    assert table.heads == ("program", "this CPU", "H100", "TPU v5e")
    assert f"jax {jax.__version__} compiled for this CPU just now" in table.note
    compiled = lowering.compile(program, jax.devices("cpu"))
    assert table.rows[0][1] == amount(compiled.memory_analysis().alias_size_in_bytes)
    assert analyse(compiled).aliased == analyse(compiled).arguments == 16_777_216


def test_a_program_for_more_devices_than_there_are_here_has_no_column() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    wanted = [str(p) for p in programs() if p.devices > len(jax.devices("cpu"))]
    for name in wanted:
        assert "this CPU" not in hardware_table(name).heads


def test_arrays_in_containers_are_placed_on_the_device_and_a_program_without_any_is_refused(
    monkeypatch,
) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    import numpy as np

    from jaxvstorch._hardware import lowering
    from jaxvstorch._hardware.program import Program

    (device,) = jax.devices("cpu")[:1]
    sharding = jax.sharding.SingleDeviceSharding(device)
    nested = lowering._abstract({"a": [np.zeros(3, np.float32)], "b": 2}, sharding)
    assert (nested["a"][0].shape, nested["a"][0].sharding, nested["b"]) == ((3,), sharding, 2)
    monkeypatch.setattr(Program, "arguments", lambda _: (2,))
    with pytest.raises(ValueError, match="has no array"):
        lowering.compile(Program("updates.set_rows", 4), [device])
