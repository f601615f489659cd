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
