"""``jaxvstorch port -m PACKAGE:MODEL``: a model is made by its name, with settings and inputs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jaxvstorch import port
from jaxvstorch._command.cli import app

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

import torch

from jaxvstorch._port.library import configuring

PACKAGE = """
import torch
from torch import nn


class TinyConfig:
    def __init__(self, hidden_size=768, num_layers=12, vocab_size=30000, act="relu"):
        self.hidden_size, self.num_layers = hidden_size, num_layers
        self.vocab_size, self.act = vocab_size, act
        if hidden_size % 2:
            raise ValueError("an odd width")


class TinyModel(nn.Module):
    main_input_name = "input_ids"

    def __init__(self, config: TinyConfig):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(
            [nn.Linear(config.hidden_size, config.hidden_size) for _ in range(config.num_layers)]
        )

    def forward(self, input_ids):
        x = self.embed(input_ids)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class Plain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)


def settings():
    return {}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder with a package of models, which is the current one."""
    (tmp_path / "tinymodels").mkdir()
    (tmp_path / "tinymodels/__init__.py").write_text(PACKAGE)
    (tmp_path / "tinymodels/models.py").write_text("from tinymodels import TinyModel as Other\n")
    (tmp_path / "settings.json").write_text('{"num_layers": 3, "hidden_size": 4}')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "broken.json").write_text("{")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "tinymodels"]:
        del sys.modules[name]


def command(*arguments: str):
    return CliRunner().invoke(app, ["port", "-m", *arguments])


def test_a_model_is_drafted_by_its_name(folder: Path) -> None:
    done = command("tinymodels:TinyModel", "--config", "tiny", "--write", "draft.py")
    assert done.exit_code == 0, done.output
    whole = "TinyModel: at parity: values and gradients, in float32 and float64"
    assert whole in done.output
    made_by = "TinyConfig(hidden_size=32, num_layers=2, vocab_size=64), all else as by default"
    assert f"tinymodels:TinyModel was made by {made_by}" in done.output
    assert "It was called with input_ids=int64[2,8]." in done.output
    assert "    hidden_size: int = 32" in (folder / "draft.py").read_text()
    assert "test_draft.py tests 1 part of the draft again" in " ".join(done.output.split())
    beside = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_draft.py"], text=True,
                            capture_output=True)  # fmt: skip
    assert beside.returncode == 0, beside.stdout[-3000:]


def test_later_settings_count_more(folder: Path) -> None:
    settings = ["tiny", "settings.json", "hidden_size=6"]
    options = [word for text in settings for word in ("--config", text)]
    done = command("tinymodels:Other", *options, "--arg", "i64[2,3]", "--json")
    notes = json.loads(done.stdout)["notes"]
    assert "TinyConfig(hidden_size=6, num_layers=3, vocab_size=64)" in notes[0]
    assert notes[1] == "It was called with int64[2,3]."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tinymodel:TinyModel"], "there is no module 'tinymodel' here"),
        (["tinymodels:TinyModle"], "Did you mean TinyModel?"),
        (["tinymodels:TinyModel", "--config", "width=3"], "TinyConfig has no setting width"),
        (
            ["tinymodels:TinyModel", "--config", "hidden_size=3"],
            "TinyConfig with these settings cannot be made: ValueError: an odd width",
        ),
        (["tinymodels:TinyModel", "--config", "none.json"], "there is no such file"),
        (["tinymodels:TinyModel", "--config", "list.json"], "holds no settings by name"),
        (["tinymodels:TinyModel", "--config", "broken.json"], "is not JSON"),
        (["tinymodels:TinyModel", "--config", "small"], "expected tiny, FILE.json or KEY=VALUE"),
        (["tinymodels:TinyModel", "--static"], "--static, --seconds and -- are of programs"),
        (["tinymodels:TinyModel", "--seconds", "9"], "is a model: --static, --seconds and -- are"),
        (["tinymodels:Plain"], "Plain needs width: give --config width=VALUE"),
        (["tinymodels:Plain", "--config", "width=3"], "Plain does not say what it takes"),
        (["tinymodels:settings"], "settings gives a dict, and no torch.nn.Module"),
        (["tinymodels", "--config", "tiny"], "give it as -m PACKAGE:MODEL"),
    ],
)
def test_what_is_wrong_takes_one_line(folder: Path, arguments: list[str], message: str) -> None:
    done = command(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert done.output.count("\n") == 1


def test_tiny_cuts_sizes_and_nothing_else() -> None:
    settings = {
        "hidden_size": 768, "num_attention_heads": 12, "num_key_value_heads": 4, "act": "gelu",
        "vocab_size": 30000, "eos_token_id": 29999, "dropout": 0.1, "tie": True, "max_length": 20,
        "hidden_sizes": [64, 128], "depths": [3, 4], "image_size": [224, 192],
        "text_config": {"n_layer": 6, "id2label": {0: "no"}},
    }  # fmt: skip
    assert configuring.tiny(settings) == {
        "hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 64,
        "eos_token_id": 47, "hidden_sizes": [8, 16], "depths": [1, 1], "image_size": [32, 32],
        "text_config": {"n_layer": 2, "id2label": {0: "no"}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("BertModel", {"input_ids": (2, 8)}),
        ("ViTModel", {"pixel_values": (2, 3, 32, 32)}),
        ("T5Model", {"input_ids": (2, 8), "decoder_input_ids": (2, 8)}),
        ("WhisperModel", {"input_features": (2, 8, 64), "decoder_input_ids": (2, 8)}),
        ("CLIPModel", {"input_ids": (2, 8), "pixel_values": (2, 3, 32, 32)}),
        ("LlamaModel", {"input_ids": (2, 8)}),
        ("MambaModel", {"input_ids": (2, 8)}),
        ("ResNetModel", {"pixel_values": (2, 3, 32, 32)}),
    ],
)
def test_models_of_transformers_run_on_their_inputs(name: str, shapes: dict) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    making = configuring.made(getattr(transformers, name), ["tiny"])
    model = making.build()
    given = configuring.inputs(model, making.settings)
    assert {name: tuple(value.shape) for name, value in given.items()} == shapes
    with torch.no_grad():
        model(**given)
    assert getattr(model.config, "use_cache", None) is not True


def test_bert_is_at_parity(tmp_path: Path) -> None:
    """Its buffers are in no state_dict, its padding gets no gradient, attention drops weights."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    settings = ("num_hidden_layers", 1), ("hidden_size", 8), ("pad_token_id", 0)
    making = configuring.made(transformers.BertModel, ["tiny", *settings])
    path = tmp_path / "draft.py"
    report = port(making.build(), torch.tensor([[1, 5, 0]]), write=path)
    assert "nothing is left to do in it" in report.notes[-1], f"{report.parity}"
    text = path.read_text()
    assert "dropout=0.0 if self.deterministic else self.dropout.rate" in text
    assert "dropout_p=dropout, rng=rngs()" in text


@pytest.mark.matrix
@pytest.mark.parametrize(
    "name",
    ["GPT2Model", "LlamaModel", "MambaModel", "ResNetModel", "T5Model", "ViTModel", "WhisperModel"],
)
def test_models_of_transformers_are_at_parity(name: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    making = configuring.made(getattr(transformers, name), ["tiny"])
    model, path = making.build(), tmp_path / "draft.py"
    report = port(model, write=path, **configuring.inputs(model, making.settings))
    assert "nothing is left to do in it" in report.notes[-1], f"{report.parity}"
    assert report.parity[name].startswith("at parity: values and gradients")


def test_padding_gets_no_gradient() -> None:
    from flax import nnx

    from jaxvstorch._port.draft.own_layers import PaddedEmbed

    embed = PaddedEmbed(4, 2, padding_idx=-1, rngs=nnx.Rngs(0))
    assert not embed.embedding[3].any()
    ids = np.array([0, 3, 3])
    gradient = nnx.grad(lambda embed: embed(ids).sum())(embed)
    np.testing.assert_array_equal(gradient["embedding"][...], [[1, 1], [0, 0], [0, 0], [0, 0]])
