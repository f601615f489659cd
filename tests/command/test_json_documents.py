"""What ``--json`` prints keeps its entries, which a schema in the package names."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import jaxvstorch
from jaxvstorch._command.cli import app
from tools import json_schemas

FOLDER = Path(jaxvstorch.__file__).parent / "schemas"
KINDS = sorted(json_schemas.DOCUMENTS)
LINES = {
    "list": ["list"],
    "show": ["show branching.select_where", "show branching --framework jax --shapes"],
    "error": ["error mat1 and mat2 shapes cannot be multiplied"],
    "map": ["map torch.gather", "map"],
    "doctor": ["doctor"],
    "port": ["port --static train.py"],
    "diff": ["diff torch.nn.functional:gelu jax.nn:gelu --arg f32[3]"],
    "try": ["try branching.select_where", "try randomness.dropout --framework jax"],
    "explanation": [
        "explain jax.nn:relu --arg f32[3] --stages",
        "explain torch.nn.functional:gelu --call f32[3] --call f32[4]",
    ],
    "both": ["explain half.py:half --arg f32[3] --framework both"],
}
RUN = ("try", "diff", "explanation", "both")  # these run both frameworks


def schema_of(kind: str) -> dict:
    return json.loads((FOLDER / f"{kind}.json").read_text(encoding="utf-8"))


def test_every_kind_of_document_is_tried_and_has_a_file() -> None:
    assert sorted(LINES) == KINDS == sorted(path.stem for path in FOLDER.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_loses_nothing(kind) -> None:
    """After an addition: ``python -m tools.json_schemas``."""
    new = json_schemas.document(kind)
    assert [*json_schemas.lost(schema_of(kind), new)] == []
    assert [*json_schemas.lost(new, schema_of(kind))] == []


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (lambda check: check["required"].remove("cure"), ["/required/cure"]),
        (lambda check: check["properties"].pop("cure"), ["/properties/cure"]),
        (
            lambda check: check["properties"].update(cure={"type": "integer"}),
            ["/properties/cure/anyOf"],
        ),
        (lambda check: check["properties"].update(more={"type": "integer"}), []),
    ],
)
def test_what_was_lost_is_named(change, gone) -> None:
    new = json_schemas.document("doctor")
    change(new["properties"]["checks"]["items"])
    lost = json_schemas.lost(schema_of("doctor"), new)
    assert [place.removeprefix("/properties/checks/items") for place in lost] == gone


@pytest.mark.parametrize(
    ("kind", "line"), [(k, line) for k, lines in LINES.items() for line in lines]
)
def test_a_document_is_as_its_schema_says(kind, line, tmp_path, monkeypatch) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="it comes with what builds the book")
    for framework in ("jax", "torch") if kind in RUN else ():
        pytest.importorskip(framework, reason="its command runs both frameworks")
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("import torch\nprint(torch.ones(3).std())\n")
    Path("half.py").write_text("def half(x):\n    print(x)\n    return x / 2\n")
    done = CliRunner().invoke(app, [*line.split(), "--json"])
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema_of(kind))
    assert document["schema"]["name"] == f"jaxvstorch-{kind}"


def test_a_file_and_json_exclude_each_other() -> None:
    line = "show branching.select_where --framework jax --file half.py --json"
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert "--json prints, and --file writes: use one of them" in done.stderr
