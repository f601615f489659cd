"""``jaxvstorch.port(model, ..., write=...)``: the draft of an installed library's model."""

import ast
import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from jaxvstorch import port

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

CONFIGURATION = """
class SmallConfig:
    def __init__(self, width=8, layers=2, activation="gelu", masked=False):
        self.width, self.layers, self.masked = width, layers, masked
        self.activation, self.attention = activation, "plain"
        self.unused = "never read"
"""

SUPPORT = """
import functools
import warnings
from collections import OrderedDict
from dataclasses import dataclass, fields

import torch
from torch import nn


class Record(OrderedDict):
    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)


@dataclass
class Output(Record):
    last: torch.Tensor | None = None
    pooled: torch.Tensor | None = None
    weights: tuple | None = None


class Activation(nn.Module):
    def __init__(self, exact=True):
        super().__init__()
        self.act = nn.functional.gelu if exact else nn.functional.silu

    def forward(self, x):
        return self.act(x)


class Table(OrderedDict):
    def __getitem__(self, key):
        cls, options = super().__getitem__(key)
        return cls(**options)


ACTIVATIONS = Table({"gelu": (Activation, {}), "tanh": (nn.Tanh, {})})


class Base(nn.Module):
    scale = 2.0

    def __init__(self, config):
        super().__init__()
        self.config = config

    def post_init(self):
        for module in self.modules():
            self.initialize(module)

    def initialize(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(std=0.1)


def with_outputs(**options):
    def around(function):
        @functools.wraps(function)
        def wrapper(self, *args, **kwargs):
            check(kwargs)
            return function(self, *args, **kwargs)

        return wrapper

    return around


def check(kwargs):
    if "old" in kwargs:
        warnings.warn("old")


def make_mask(config, x, mask=None):
    return None if mask is None else mask[:, None]


def shifted(x, mask=None, shift=0.0, **kwargs):
    return x + shift if mask is None else x * mask


FUNCTIONS = {"shifted": shifted}


def function_of(name, default):
    return FUNCTIONS.get(name, default)
"""

MODEL = '''
from .configuration import SmallConfig
from .support import ACTIVATIONS, Base, Output, function_of, make_mask, with_outputs
import torch
from torch import nn


def plain(module, x, mask=None, dropout=0.0, **kwargs):
    # the weights of each row
    weights = torch.softmax(x @ x.transpose(-1, -2) * module.scaling, dim=-1)
    if mask is not None:
        weights = weights + mask
    weights = nn.functional.dropout(weights, p=dropout, training=module.training)
    return weights @ x, weights


class Mixer(nn.Module):
    """Mixes the rows."""

    def __init__(self, config, index=None):
        super().__init__()
        self.config = config
        self.index = index
        self.scaling = config.width**-0.5
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(config.width, config.width)

    def forward(self, x, mask=None, **kwargs):
        function = function_of(self.config.attention, plain)
        p = self.drop.p if self.training else 0.0
        y, weights = function(self, x, mask, dropout=p, **kwargs)
        return self.out(y), weights


class Layer(Base):
    def __init__(self, config, index=None, extra=False):
        super().__init__(config)
        self.norm = nn.LayerNorm(config.width)
        self.mixer = Mixer(config, index=index)
        if extra:
            self.extra = nn.Linear(config.width, config.width)
        self.act = ACTIVATIONS[config.activation]

    def forward(self, x, mask=None, positions=None, **kwargs):
        y, _ = self.mixer(self.norm(x), mask=mask, positions=positions, **kwargs)
        if x.ndim != 3:
            raise ValueError(f"{x.ndim} axes")
        return x + self.act(y)


class SmallModel(Base):
    def __init__(self, config: SmallConfig, pooled: bool = True):
        super().__init__(config)
        self.embed = nn.Embedding(10, config.width)
        self.layers = nn.ModuleList([Layer(config, index=i) for i in range(config.layers)])
        self.tail = nn.Sequential(nn.Linear(config.width, config.width), nn.ReLU())
        self.pool = nn.Linear(config.width, config.width) if pooled else None
        self.checkpointing = False
        self.register_buffer("places", torch.arange(4.0), persistent=False)
        self.post_init()

    @with_outputs(tied=False)
    def forward(self, ids=None, embedded=None, mask=None, return_weights=None, **kwargs) -> Output:
        if ids is None and embedded is None:
            raise ValueError("pass one")
        if embedded is None:
            embedded = self.embed(ids)
        positions = torch.arange(embedded.shape[1])
        mask = make_mask(config=self.config, x=embedded, mask=mask)
        x = embedded * self.scale + self.places[0]
        for layer in self.layers:
            x = layer(x, mask if not (self.checkpointing and self.training) else None,
                      positions=positions, **kwargs)
        for part in self.tail:
            x = part(x)
        options = {}
        if x.shape[-1] % 2 == 0:
            options["dim"] = -1
        x = torch.softmax(x.to(torch.float32), **options).to(embedded.dtype)
        pooled = torch.tanh(self.pool(x[:, 0])) if self.pool is not None else None
        return Output(last=x, pooled=pooled, weights=None)
'''


LONG = "each is weighted by how much it is like the others (its own weight counts too), as here"
MODEL = MODEL.replace("Mixes the rows.", f"Mixes the rows: {LONG}.")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A package as libraries of models are written."""
    folder = tmp_path_factory.mktemp("library") / "smallmodels"
    folder.mkdir()
    texts = {"__init__": "", "configuration": CONFIGURATION, "support": SUPPORT, "model": MODEL}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder.parent))
        yield importlib.import_module("smallmodels.model")
    for name in [name for name in sys.modules if name.startswith("smallmodels")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def drafted(package: ModuleType, tmp_path_factory: pytest.TempPathFactory):
    torch.manual_seed(0)
    model = package.SmallModel(package.SmallConfig()).eval()
    path = tmp_path_factory.mktemp("draft") / "draft.py"
    report = port(model, torch.tensor([[1, 2, 3], [4, 1, 0]]), write=path)
    return model, path, report


def test_a_library_s_model_is_at_parity(drafted) -> None:
    _, _, report = drafted
    assert "nothing is left to do in it" in report.notes[-1], f"{report.parity}"
    whole = "at parity: values and gradients, in float32 and float64"
    inside = f"{whole}, with parts in float32, which the program casts to"  # its softmax
    assert report.parity["SmallModel"] == inside
    assert report.parity["Layer"] == whole


def test_only_what_ran_is_in_the_draft(drafted) -> None:
    text = drafted[1].read_text()
    own = text[: text.index("# PyTorch's name for each array")]
    names = "raise Table wrapper post_init embedded= extra positions kwargs unused index"
    for left_out in ["mask is", "weights=", *names.split()]:
        assert left_out not in own, left_out


def test_the_draft_reads_like_the_library(drafted) -> None:
    text = drafted[1].read_text()
    tree = ast.parse(text)
    kinds = Counter(type(node).__name__ for node in tree.body)
    assert kinds["ClassDef"] >= 5
    for kept in (
        "class SmallConfig:",
        "    width: int = 8",
        "class Output(NamedTuple):",
        "    last: jax.Array",
        "for i in range(config.layers)",
        "y, weights = plain(self, x,",
        "x = embedded * 2.0 + self.places[0]",
        "# the weights of each row",
        f'    """Mixes the rows: {LONG}."""',
        "for part in self.tail.layers:",
        "jax.nn.softmax(x.astype(jnp.float32)",
    ):
        assert kept in text, kept


def test_the_draft_loads_and_runs_alone(drafted) -> None:
    model, path, _ = drafted
    import jax.numpy as jnp
    import numpy as np
    from flax import nnx

    spec = importlib.util.spec_from_file_location("library_draft", path)
    draft = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draft)
    new = draft.from_torch(
        draft.SmallModel(draft.SmallConfig(), rngs=nnx.Rngs(0)), model.state_dict()
    )
    new.eval()
    ids = torch.tensor([[5, 6], [7, 8]])
    with torch.no_grad():
        expected = model(ids)
    np.testing.assert_allclose(new(jnp.array(ids.numpy())).last, expected.last, rtol=1e-4)


def test_what_a_model_was_made_with_must_be_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not keep its argument"):
        port(Forgetful(3), torch.ones(2, 3), write=tmp_path / "draft.py")


def test_a_module_must_be_called(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="pass one, or a function that calls one"):
        port(torch.relu, torch.ones(2), write=tmp_path / "draft.py")


class Forgetful(torch.nn.Module):
    """Keeps nothing of what it was made with."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(width, width)
