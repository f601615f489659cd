"""Results files: what is read, what is refused and named, and the rows and tables made of them."""

import copy
import json

import pytest

from jaxvstorch import results, results_machine, results_tables, timings
from jaxvstorch.measure.durations import seconds

TIMING = {
    "topic": "branching", "name": "select_where", "size": 16, "framework": "jax",
    "mode": "compiled", "minimum": 4e-6, "spread": 3e-7, "rounds": 10, "calls": 100,
    "dtype": "float32", "first_call": 0.05, "new_shape": 0.02, "moved": 0,
}  # fmt: skip
CPU = {"platform": "cpu", "name": "cpu", "cuda": None}
DOCUMENT = {
    "schema": {"name": results.SCHEMA, "version": results.VERSION},
    "date": "2026-01-02T03:04:05+00:00",
    "quick": False,
    "sweeps": 3,
    "select": "",
    "shard": "",
    "partial": False,
    "left_out": [],
    "commit": "",
    "image": "",
    "machine": {
        "cpu": "A processor", "cores": 2, "memory_bytes": 2**33, "system": "Linux",
        "driver": None, "gpus": [],
    },
    "versions": {"python": "3.11.7", "jax": "0.10.2", "torch": "2.13.0+cpu", "numpy": "2.4.6"},
    "threads": {"jax": 2, "torch": 2},
    "devices": {"jax": CPU, "torch": CPU},
    "precision": {"jax": {"jax_enable_x64": False}},
    "peak_memory": {"jax": None, "torch": None},
    "set_up": {"jax": 0.1, "torch": 6.0},
    "settings": {"dtype": "float32", "matmul_precision": "highest"},
    "timings": [
        TIMING,
        TIMING | {"framework": "torch", "minimum": 8e-6, "spread": 8e-7, "first_call": 2.0},
        TIMING | {"framework": "torch", "mode": "eager", "first_call": None, "new_shape": None},
    ],
    "clock": [
        {
            "framework": "jax", "function": "sin+cos of 9", "harness": 4e-6, "timeit": 4e-6,
            "torch_timer": None, "over_timeit": 1.0, "over_timeit_spread": 0.01,
            "over_torch_timer": None, "over_torch_timer_spread": None, "passed": True,
        }
    ],
    "share": 0.93,
    "seconds": 100.0,
    "problems": [],
}  # fmt: skip


@pytest.fixture
def document():
    return copy.deepcopy(DOCUMENT)


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_file_comes_back_as_it_was_written(tmp_path, document) -> None:
    found = results.read(write(tmp_path / "a.json", document))
    assert found.topics() == ["branching"]
    assert found.timings[0] == timings.Timing(**TIMING, platform="cpu")
    assert found.seconds == 100.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "empty"),
        (lambda text: text[: len(text) // 2], "not JSON, or cut off"),
        (lambda text: "[]", "its schema is None"),
        (lambda text: text.replace(results.SCHEMA, "another"), "its schema is .*another"),
        (lambda text: text.replace('"version": 5', '"version": 4'), "version 4, .*measure again"),
        (
            lambda text: text.replace('"version": 5', '"version": 6'),
            "version 6, .*newer jaxvstorch",
        ),
        (lambda text: text.replace('"commit": "", ', ""), "the file lacks 'commit'"),
        (lambda text: text.replace('"image"', '"picture"'), "the file lacks 'image'"),
        (
            lambda text: text.replace('"quick"', '"more": 1, "quick"'),
            "'more' of the file is not known: it was",
        ),
        (
            lambda text: text.replace('"cuda": null', '"cudas": null', 1),
            "device of jax lacks 'cuda'",
        ),
        (lambda text: text.replace('"machine"', '"engine"'), "the file lacks 'machine'"),
        (
            lambda text: text.replace('"quick": false', '"quick": 0'),
            "'quick' of the file must be bool, and is 0",
        ),
        (
            lambda text: text.replace('"minimum"', '"mean"'),
            "timing 1 lacks 'minimum': .*measure again",
        ),
        (
            lambda text: text.replace('"minimum": 4e-06', '"minimum": NaN'),
            "'minimum' of timing 1 must be finite .* is nan",
        ),
        (
            lambda text: text.replace('"minimum": 4e-06', '"minimum": "4"'),
            "'minimum' of timing 1 must be float, and is '4'",
        ),
        (lambda text: text.replace('"cores": 2', '"kernels": 2'), "'machine' lacks 'cores'"),
        (
            lambda text: text.replace('"sweeps": 3', f'"sweeps": {"9" * 9_000}'),
            "a number in it has too many digits; measure again",
        ),
        (
            lambda text: text.replace('"size": 16', f'"size": {"9" * 4_000}'),
            r"'size' of timing 1 must be finite .* is 9+\.\.\.9+: it was changed",
        ),
        (
            lambda text: text.replace('"sweeps": 3', '"sweeps": 3, "sweeps": 9'),
            "'sweeps' is in one place twice; measure again",
        ),
        (lambda text: "[" * 100_000, "it is nested too deeply; measure again"),
        (lambda text: '{"a":' * 50_000 + "1" + "}" * 50_000, "it is nested too deeply"),
        (
            lambda text: text.replace('"seconds": 100.0', '"seconds": 0'),
            "'seconds' of the file must be more than 0",
        ),
        (
            lambda text: text.replace('"shard": ""', '"shard": "1/99999999999"'),
            "'shard' of the file must be such as 2/5, and is '1/99999999999'",
        ),
        (
            lambda text: text.replace('"eager"', '"compiled"'),
            "timing 3 is of the same call as timing 2: it was changed",
        ),
        (lambda text: text.replace('"over_timeit": 1.0, ', ""), "clock check 1 lacks 'over_timeit"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path, document, change, message) -> None:
    path = tmp_path / "bad.json"
    path.write_text(change(json.dumps(document)), encoding="utf-8")
    with pytest.raises(results.ResultsError, match=message) as caught:
        results.read(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(results.ResultsError, match=r"nowhere\.json: cannot be read"):
        results.read(tmp_path / "nowhere.json")


def test_bad_files_are_left_out_of_a_folder_and_named(tmp_path, document) -> None:
    write(tmp_path / "good.json", document)
    (tmp_path / "cut.json").write_text('{"schema": ', encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    found, problems = results.read_all(tmp_path)
    assert list(found) == ["good"]
    assert ["bytes.json" in problems[0], "cut.json" in problems[1]] == [True, True]


def test_an_empty_folder_has_no_results_and_no_problems(tmp_path) -> None:
    assert results.read_all(tmp_path) == ({}, [])


def test_rows_gather_what_was_timed_of_one_function(tmp_path, document) -> None:
    (row,) = timings.rows(results.read(write(tmp_path / "a.json", document)).timings)
    assert (row.topic, row.name, row.size, len(row.times)) == ("branching", "select_where", 16, 3)
    ratio = row.ratio()
    assert ratio.value == pytest.approx(0.5)
    assert ratio.spread == pytest.approx(0.5 * (0.075**2 + 0.1**2) ** 0.5)
    assert row.ratio("eager") is None


def test_no_ratio_is_of_two_kinds_of_device(tmp_path, document) -> None:
    alike = results.read(write(tmp_path / "a.json", document))
    assert results_machine.no_ratio(alike) == ""
    document["devices"]["jax"] = CPU | {"platform": "tpu", "name": "TPU v5 lite"}
    found = results.read(write(tmp_path / "a.json", document))
    assert [t.platform for t in found.timings] == ["tpu", "cpu", "cpu"]
    (row,) = timings.rows(found.timings)
    assert row.ratio() is None
    said = "no ratio is formed, as JAX computed on tpu and PyTorch on cpu"
    assert said in results_machine.provenance(found)
    assert said in results_machine.machine_table(found)


def test_versions_are_compared_with_the_pins(tmp_path, document) -> None:
    found = results.read(write(tmp_path / "a.json", document))
    assert found.outdated({"jax": "0.10.2", "torch": "2.13.0"}) == []
    assert found.outdated({"jax": "0.11.0"}) == ["jax 0.10.2, now 0.11.0"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (3.734e-6, "3.73 µs"), (9.996e-6, "10.0 µs"), (0.9996e-3, "1.00 ms"),
     (0.123, "123 ms"), (12.34, "12.3 s"), (250.0, "250 s"), (5e-10, "0.50 ns")],
)  # fmt: skip
def test_times_have_three_digits(value, text) -> None:
    assert seconds(value).replace("\N{NO-BREAK SPACE}", " ") == text


def test_tables_show_every_time_and_the_ratio(tmp_path, document) -> None:
    found = results.read(write(tmp_path / "a.json", document))
    text = results_tables.topic_tables(found, "branching").replace("\N{NO-BREAK SPACE}", " ")
    steady, first = text.split("\n\n")
    assert steady.splitlines()[2] == (
        "| `select_where` | 16 | 4.00 µs | 4.00 µs | 8.00 µs | 0.50 ± 0.06 |"
    )
    assert first.splitlines()[2] == "| `select_where` | 16 | 50.0 ms | 2.00 s | 20.0 ms | 20.0 ms |"


def test_ways_of_calling_stand_beside_a_copy(tmp_path, document) -> None:
    copies = [TIMING | {"framework": f, "mode": "copy", "moved": 8} for f in ("numpy", "torch")]
    copies = [copy | {"minimum": t} for copy, t in zip(copies, (4e-9, 0.8e-9), strict=True)]
    document["timings"] = [
        TIMING | {"mode": "compiled, donated", "moved": 20_000, "first_call": 0},
        *copies,
    ]
    found = results.read(write(tmp_path / "a.json", document))
    text = results_tables.topic_tables(found, "branching")
    assert "5.0 GB/s | 50% of a copy |" in text


def test_clock_table_says_yes_or_no(tmp_path, document) -> None:
    document["clock"].append(document["clock"][0] | {"passed": False, "over_timeit": 1.2})
    lines = results_tables.clock_table(results.read(write(tmp_path / "a.json", document)))
    assert [line.split("|")[3].strip() for line in lines.splitlines()[2:]] == ["yes", "no"]
