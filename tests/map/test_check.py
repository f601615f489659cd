"""The check of the map finds wrong lines, and a tenth of the map is still right."""

import hashlib
import inspect
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.verdict import FILE, SAME_OBJECT, verdicts

pytest.importorskip("torch", reason="the check runs both frameworks")
pytest.importorskip("expecttest", reason="PyTorch's samples need it")

import torch

from jaxvstorch._port.map.row import PLACEMENT, parse
from jaxvstorch._port.map.running.call import Call, of_pytorch
from jaxvstorch._port.map.running.compare import TOLERANCE, compare
from jaxvstorch._port.map.running.describe import call_text
from tools.check_map import samples
from tools.check_map.judge import complaint, judge
from tools.check_map.probing import probe, written

STATE = FILE.read_bytes()

# How much rounding there is depends on the machine.
DECIDED = frozenset({"rounding"})


def kinds(verdict) -> set[str]:
    return {difference.kind for difference in verdict.differences} - DECIDED


def drawn() -> list[str]:
    """A tenth of the names, another one for each state of the map."""
    return [name for name in rows() if digest(name)[0] < 256 / 10]


def digest(word: str) -> bytes:
    """What decides which names are drawn; it changes with each state of the map."""
    return hashlib.sha256(word.encode() + STATE).digest()


@pytest.fixture(scope="module")
def seconds(request) -> Iterator[None]:
    """Print at the end how long the tenth took."""
    begun = time.process_time()
    yield
    took = time.process_time() - begun
    if reporter := request.config.pluginmanager.get_plugin("terminalreporter"):
        reporter.write_line(f" the map: {len(drawn())} of {len(rows())} names, {took:.0f} CPU s")


@pytest.mark.skipif(
    any(
        metadata.version(name).partition("+")[0] != version  # 2.13.0+cpu
        for name, version in verdicts().versions.items()
    ),
    reason="the map was recorded with other versions, in which some of its names differ",
)
@pytest.mark.parametrize("name", drawn())
@pytest.mark.usefixtures("memory_freed")
def test_a_tenth_of_the_map_is_as_recorded(name, monkeypatch, seconds) -> None:
    """Tries some calls of each drawn name; `nox -s names` tries every call of every name."""
    monkeypatch.setattr(samples, "stride", 6)
    judged, kept = judge(rows()[name]), verdicts().names[name]
    assert kinds(judged) <= kinds(kept)
    assert judged.tried.keys() <= kept.tried.keys()  # of few samples, none may have a gradient
    assert bool(judged.calls) == bool(kept.calls)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(
            "torch.cumprod(input, dim) => jnp.cumprod(input, axis=dim - 1)",
            "most calls differ",
            id="an axis is wrong",
        ),
        pytest.param(
            "torch.nn.functional.celu(input, alpha=2.0) => jax.nn.celu(input, alpha)",
            "most calls differ",
            id="a default is another one",
        ),
        pytest.param(
            "torch.nn.Identity(*args)(input) => input ; needless: args",
            "nothing was tried",
            id="nothing is tried",
        ),
        pytest.param(
            "torch.exp(input) => jnp.exp(input) ; first: jnp.exp(input)",
            "gives the same",
            id="what is called wrong is right",
        ),
    ],
)
def test_a_wrong_line_is_reported(line, reason) -> None:
    row = parse(line)
    assert reason in (complaint(row, judge(row)) or "")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        pytest.param(
            "torch.ones_like(input, *, dtype=None) => jnp.ones(input.shape) ; needless: dtype",
            "dtype",
            id="a dtype is lost",
        ),
        pytest.param(
            "torch.diff(input, n=1, dim=-1, prepend=None, append=None) => jnp.diff(input, axis=dim)"
            " ; needless: n, prepend, append",
            "shape",
            id="a parameter is dropped",
        ),
        pytest.param(
            "torch.sin(input) => lax.stop_gradient(jnp.sin(input))",
            "gradient",
            id="a gradient is lost",
        ),
    ],
)
def test_what_a_line_loses_is_reported(line, kind) -> None:
    row = parse(line)
    assert kind in kinds(judge(row))
    assert kind not in kinds(verdicts().names[row.name])


def test_a_form_that_is_another_function_is_reported() -> None:
    assert kinds(judge(parse("Tensor.prod = torch.sum")))


def test_the_recorded_probes_are_the_written_ones() -> None:
    assert written() == [(probe.kind, probe.torch, probe.jax) for probe in verdicts().probes]


# What is shown of a probe may differ in its last digits, or in the words of an error.
def test_a_tenth_of_the_probes_is_as_recorded() -> None:
    for kept in verdicts().probes[int(digest("probes")[0]) % 10 :: 10]:
        now = probe(kept.kind, kept.torch, kept.jax)
        assert (now.differs, now.line_differs) == (kept.differs, kept.line_differs), kept


def test_a_probe_says_whether_the_line_avoids_the_difference() -> None:
    by = {probe.torch: probe for probe in verdicts().probes}
    std = by["torch.std(t([1., 2., 3., 4.]))"]
    assert (std.differs, std.line_differs) == (True, False)
    gather = by["torch.gather(t([1., 2.]), 0, t([-1]))"]
    assert (gather.differs, gather.line_differs) == (True, True)


def test_a_probe_gives_sizes_one_by_one() -> None:
    assert probe("view", "torch.arange(4.).reshape(2, 2)", "jnp.zeros(2)").line_differs is False


def test_a_probe_is_not_about_a_sum_that_only_makes_a_number() -> None:
    kinds = {probe.kind for probe in verdicts().probes if "torch.sum" in probe.names}
    assert "width" in kinds
    assert "kink" not in kinds


def test_every_probe_that_differs_belongs_to_a_name() -> None:
    assert [p.torch for p in verdicts().probes if p.line_differs and not p.names] == []


def test_every_parameter_of_pytorch_is_in_its_line() -> None:
    private = {"_weight", "_freeze", "_preallocate_and_copy", "_stacklevel"}
    newer = {"respect_saved_tensors_hooks"}  # of 2.15
    missing = {}
    for name, row in rows().items():
        if row.expression is None or row.made is None or row.attribute:
            continue
        try:
            parameters = inspect.signature(of_pytorch(name)).parameters.values()
        except ValueError:  # it is not written in Python
            continue
        by_name = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        named = {parameter.name for parameter in by_name}
        if left := named - row.parameters.keys() - PLACEMENT - private - newer - {"self", "key"}:
            missing[name] = left
    assert missing == {}


def test_a_parameter_without_counterpart_is_named() -> None:
    line = "torch.cumsum(input, dim, *, dtype=None) => jnp.cumsum(input, dim) ; refused: dtype"
    seen = {seen.kind: seen for seen in judge(parse(line)).differences}
    assert "dtype" in seen["refused"].jax


def test_every_name_of_the_map_exists_in_pytorch() -> None:
    inner = ("Module.", "Optimizer.")
    names = [n for n, row in rows().items() if not n.startswith(inner) and meaning(row).expression]
    for name in names:
        of_pytorch(name)


def test_a_line_was_run_in_both_and_a_form_beside_its_name() -> None:
    recorded = verdicts().names
    for name, row in rows().items():
        if row.expression:
            assert set(recorded[name].tried) - {"form"}, name
        elif meaning(row).expression:
            assert set(recorded[name].tried) in ({"form"}, {SAME_OBJECT}), name


def test_most_draws_are_of_4000_numbers() -> None:
    drawn = [row for row in rows().values() if row.draws and row.expression]
    calls = [c for row in drawn for c in samples.written_calls(row, of_pytorch(row.name))]
    sizes = [call().numel() for call in calls]
    assert sizes.count(4000) / len(sizes) > 0.9


def test_a_small_number_beside_a_large_one_that_is_far_off_is_no_rounding() -> None:
    for close, kind in ((7.7, "value"), (9.7, "rounding")):
        pair = [np.array([number, 4000.0], np.float32) for number in (9.8, close)]
        assert [difference.kind for difference in compare(*pair, wide=False)] == [kind]


def test_a_shown_call_says_that_an_array_holds_nan() -> None:
    array = torch.tensor([float("nan"), 1.5, -2.25, 3.125, 0.1, 7.0])
    assert call_text(Call(len, (array, array[1:]))) == "float32 with nan (6), float32 (5)"
    array = array.to(torch.complex64) / 0
    assert call_text(Call(len, (array,))) == "complex64 with nan and inf (6)"


def test_the_page_says_what_counts_as_rounding() -> None:
    page = (Path(__file__).parents[2] / "book/names.md").read_text(encoding="utf-8")
    for dtype in ("float32", "bfloat16", "float64"):
        power = f"{TOLERANCE[dtype]:.0e}".replace("e-0", "e-")
        assert power in page
        assert dtype in " ".join(page.split()).partition(power)[2][:50]
