"""The JSON Schema of a results file says what is read, and every file that is made fits it."""

import dataclasses
import json
import math
from pathlib import Path

import pytest
from result_files import CPU, MACHINE, SETTINGS, check, document, timing

from jaxvstorch import results, results_shape
from jaxvstorch.timings import Timing

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
FOLDER = Path(__file__).parents[2] / "benchmarks"
SCHEMA = json.loads((FOLDER / "results.schema.json").read_text())
GPU = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}
WHOLE = document(
    dataclasses.replace(timing(), first_call=0.5, queued=0.5),
    machine=MACHINE | {"driver": "580.65", "gpus": [{"name": "NVIDIA H200", "memory_bytes": 8}]},
    devices={"jax": GPU, "torch": CPU}, precision={"jax": {"x": False}},
    clock=[check(torch_timer=1.0, over_timeit_spread=0.0)],
    left_out=["a case"], problems=["a gap"], peak_memory={"jax": 8, "torch": None},
    settings=SETTINGS | {"gpu_memory": 8},
)  # fmt: skip


def fits(document):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def refusal(document):
    """What the reader says of a document that it refuses; empty where it takes it."""
    try:
        results_shape.checked(document)
    except results.ResultsError as error:
        return str(error)
    return ""


def reads(document):
    return not refusal(document)


def test_the_schema_names_what_is_read() -> None:
    fields = {field.name for field in dataclasses.fields(results.Results)}
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"]) == fields | {"schema"}
    assert set(SCHEMA["$defs"]["timing"]["properties"]) == {
        field.name for field in dataclasses.fields(Timing)
    } - {"platform"}
    version = SCHEMA["properties"]["schema"]["properties"]["version"]["const"]
    assert version == results.VERSION


def inside(path):
    """A copy of the whole document, and what is in it just above this path."""
    copied = inner = json.loads(json.dumps(WHOLE))
    for key in path[:-1]:
        inner = inner[key]
    return copied, inner


def without(*path):
    """A document that lacks what is at this path."""
    copied, inner = inside(path)
    del inner[path[-1]]
    return copied


def paths(value, *above):
    """Where each value stands that the file says itself; what a framework says is its own."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        path = (*above, key)
        if path[0] not in ("schema", "precision"):
            yield path
            if isinstance(inner, dict | list):
                yield from paths(inner, *path)


# The schema also says what these must be beyond their type.
STRICTER = {"date", "shard", "platform", "threads", "peak_memory", "set_up", "framework"}
TYPES = (None, True, "16", 16, -1, [], {}, [5], {"x": 5})


@pytest.mark.parametrize("path", list(paths(WHOLE)), ids=lambda path: ".".join(map(str, path)))
def test_values_of_another_type_are_refused_by_name(path) -> None:
    for value in (*TYPES, math.nan, math.inf, 10**400):
        copied, inner = inside(path)
        inner[path[-1]] = value
        said = refusal(copied)
        if said and isinstance(path[-1], str) and value not in ([5], {"x": 5}):
            assert path[-1] in said
        if value not in TYPES:
            assert said
        elif path[-1] not in STRICTER:
            assert fits(copied) is (not said)


@pytest.mark.parametrize(
    ("document", "sound"),
    [
        (WHOLE, True),
        *((without(key), False) for key in WHOLE),
        *((without("machine", key), False) for key in WHOLE["machine"]),
        *((without("devices", "jax", key), False) for key in GPU),
        (without("versions", "python"), False),
        (without("settings", "dtype"), False),
        (without("timings", 0, "minimum"), False),
        (without("timings", 0, "dtype"), True),
        (WHOLE | {"more": 1}, False),
        (WHOLE | {"commit": None}, False),
        (WHOLE | {"timings": [WHOLE["timings"][0] | {"framework": "another"}]}, False),
        (WHOLE | {"machine": WHOLE["machine"] | {"gpus": None}}, True),
        (WHOLE | {"timings": [WHOLE["timings"][0] | {"minimum": 0.0}]}, False),
        (WHOLE | {"timings": [WHOLE["timings"][0] | {"more": 0.0}]}, False),
        (WHOLE | {"timings": [WHOLE["timings"][0] | {"platform": "cpu"}]}, False),
    ],
)
def test_schema_and_reader_take_and_refuse_the_same(document, sound) -> None:
    assert (fits(document), reads(document)) == (sound, sound)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("results/*.json")), ids=lambda path: path.stem)
def test_every_published_file_fits(path) -> None:
    published = json.loads(path.read_text())
    jsonschema.validate(published, SCHEMA)
    assert reads(published)


def test_what_is_written_fits(tmp_path) -> None:
    path = tmp_path / "written.json"
    results.write(results.Results(**results_shape.checked(WHOLE)), path)
    assert fits(json.loads(path.read_text()))
