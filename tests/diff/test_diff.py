"""Whether ``diff`` finds planted faults and their causes, and calls right ports the same."""

import re
from pathlib import Path

import pytest
from faults import FAULTS, PAIRS_OF_FAULTS, Fault
from planting import MODELS, load, plant
from right_ports import right_ports

from jaxvstorch import Diff, Difference, diff

for library in ("jax", "torch", "flax", "equinox"):
    pytest.importorskip(library)

# All of them take minutes: every fourth runs always, and the others every night.
_OFTEN = FAULTS[::4]


def compared(*faults: Fault, folder: Path) -> Diff:
    """A PyTorch model compared with its port, in which some faults are planted."""
    kind = faults[0].model
    models = load(MODELS / f"{kind}_torch.py")
    model = models.make()
    port = plant(f"{kind}_jax.py", *((f.old, f.new) for f in faults), folder=folder)
    return diff(model, port.make(model), models.inputs())


def names(difference: Difference, fault: Fault) -> tuple[bool, bool]:
    """Whether the faulty line of PyTorch and that of JAX are named, or calls that led there."""
    wanted = (fault.torch_line, fault.torch_shows), (fault.jax_line, fault.jax_shows)
    named = []
    for place, texts in zip(difference.places, wanted, strict=True):
        lines = [line.text for line in (*place.stack, place.then, place.begins) if line]
        named.append(any(text and text in line for text in texts for line in lines))
    return named[0], named[1]


def test_roundings_that_grow_are_no_difference_and_are_shown_by_depth() -> None:
    import jax.numpy as jnp
    import numpy as np
    import torch

    def chaos(x):
        for _ in range(40):
            x = 3.9 * x * (1 - x)
        return torch.tanh(x)

    def port(x):
        for _ in range(40):
            x = 3.9 * (x - x * x)
        return jnp.tanh(x)

    start = np.random.default_rng(0).uniform(0.2, 0.8, 64).astype(np.float32)
    report = diff(chaos, (lambda _, x: port(x), ()), (start,))
    assert report.same, str(report)
    roundings = [point.roundings for point in report.growth]
    depths = [point.depth for point in report.growth]
    assert roundings == sorted(roundings)
    assert depths == sorted(depths)
    assert roundings[-1] > 100 * roundings[0]
    assert "roundings grow: " in str(report)
    assert report.growth[0].line.text == "x = 3.9 * x * (1 - x)"
    assert '<polyline points="' in report._repr_html_()


def test_a_difference_is_not_lost_in_a_sum_behind_a_cast() -> None:
    import jax
    import numpy as np
    import torch

    def original(x):
        return x + 0.02 * torch.nn.functional.gelu(x.to(torch.float32))

    def port(x):
        return x + 0.02 * jax.nn.gelu(x.astype(np.float32))

    x = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
    (found,) = diff(original, port, (x,)).differences
    assert "approximate='none' in place of approximate='tanh'" in found.cause


def test_a_table_of_another_shape_is_no_difference() -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import torch

    layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(2))
    turns = torch.tensor([1.0, 0.31, 0.1, 0.031])

    def original(x):
        angles = torch.arange(x.shape[1])[:, None] * turns
        table = torch.cat((angles, angles), -1).cos()
        for layer in layers:
            x = torch.nn.functional.gelu(layer(x * table))
        return x

    def port(p, x):
        times = jnp.broadcast_to(jnp.arange(x.shape[1]), x.shape[:2])
        angles = times[..., None] * turns.numpy()
        table = jnp.cos(jnp.concatenate((angles, angles), -1))
        for weight, bias in p:
            x = jax.nn.gelu((x * table) @ weight.T + bias)
        return x

    p = [tuple(x.detach().numpy() for x in layer.parameters()) for layer in layers]
    x = np.random.default_rng(0).normal(size=(3, 5, 8)).astype(np.float32)
    (found,) = diff(original, (port, p), (x,)).differences
    assert "gelu" in found.places[0].line.text
    assert "gelu" in found.places[1].line.text
    assert "approximate='tanh'" in found.cause


def test_a_gradient_of_roundings_is_no_difference() -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import torch

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = (torch.nn.Linear(32, 32) for _ in range(3))

        def forward(self, x):
            return (self.q(x) @ self.k(x).mT / 32**0.5).softmax(-1) @ self.v(x)

    def port(p, x):
        x = x.astype(jnp.float32)
        p = jax.tree.map(lambda a: a.astype(jnp.float32), p)
        q, k, v = (x @ p[n]["weight"].T + p[n]["bias"] for n in "qkv")
        return jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / jnp.float32(32**0.5)) @ v

    model = Attention()
    p = {n: {a: t.detach().numpy() for a, t in getattr(model, n).named_parameters()} for n in "qkv"}
    x = np.random.default_rng(0).normal(size=(2, 7, 32)).astype(np.float32)
    assert diff(model, (port, p), (x,), gradient=True).same


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=fault.name, marks=[] if fault in _OFTEN else [pytest.mark.matrix])
        for fault in FAULTS
    ],
)
def test_planted_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    report = compared(fault, folder=tmp_path)
    assert not report.same
    first = report.differences[0]
    assert names(first, fault) == fault.named, str(first)
    assert re.search(fault.cause or "", first.cause, re.IGNORECASE), first.cause
    if fault.cause is None:
        assert not first.cause


@pytest.mark.parametrize("pair", PAIRS_OF_FAULTS[:10], ids=" and ".join)
@pytest.mark.matrix
def test_two_faults_are_found_in_one_run(pair: tuple[str, str], tmp_path: Path) -> None:
    faults = [fault for fault in FAULTS if fault.name in pair]
    found = compared(*faults, folder=tmp_path).differences
    for fault in faults:
        assert any(any(names(difference, fault)) for difference in found), fault.name


def test_right_ports_are_the_same(tmp_path: Path) -> None:
    wrong = [
        f"{name}: {report}"
        for name, first, second, inputs in right_ports(tmp_path)
        if not (report := diff(first, second, inputs)).same
    ]
    assert not wrong, "\n".join(wrong)
