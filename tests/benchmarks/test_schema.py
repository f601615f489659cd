"""The JSON Schema of a results file says what is read, and every file that is made fits it."""

import dataclasses
import json
from pathlib import Path

import pytest
from test_compare import CPU, document, timing

from jaxvstorch import results, results_shape
from jaxvstorch.timings import Timing

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
FOLDER = Path(__file__).parents[2] / "benchmarks"
SCHEMA = json.loads((FOLDER / "results.schema.json").read_text())
GPU = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}
WHOLE = document(timing(), devices={"jax": GPU, "torch": CPU}, precision={"jax": {"x": False}})


def fits(document):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def reads(document):
    try:
        results_shape.checked(document)
    except results.ResultsError:
        return False
    return True


def test_the_schema_names_what_is_read() -> None:
    fields = {field.name for field in dataclasses.fields(results.Results)}
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"]) == fields | {"schema"}
    assert set(SCHEMA["$defs"]["timing"]["properties"]) == {
        field.name for field in dataclasses.fields(Timing)
    } - {"platform"}
    version = SCHEMA["properties"]["schema"]["properties"]["version"]["const"]
    assert version == results.VERSION


def without(*path):
    """A document that lacks what is at this path."""
    copied = json.loads(json.dumps(WHOLE))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return copied


@pytest.mark.parametrize(
    ("document", "sound"),
    [
        (WHOLE, True),
        *((without(key), False) for key in WHOLE),
        *((without("machine", key), False) for key in WHOLE["machine"]),
        *((without("devices", "jax", key), False) for key in GPU),
        (without("versions", "python"), False),
        (without("settings", "dtype"), False),
        (without("timings", 0, "median"), False),
        (without("timings", 0, "dtype"), True),
        (WHOLE | {"more": 1}, False),
        (WHOLE | {"commit": None}, False),
        (WHOLE | {"machine": WHOLE["machine"] | {"gpus": None}}, True),
        (WHOLE | {"timings": [WHOLE["timings"][0] | {"median": 0.0}]}, False),
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
