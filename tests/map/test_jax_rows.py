"""The lines of JAX's names: written as they should be, in step with PyTorch's, and still right."""

import builtins
import dis
import hashlib
import inspect
import pkgutil
import re
from importlib import metadata
from types import CodeType

import pytest

from jaxvstorch._port.map.row import LineError, parse
from jaxvstorch._port.map.rows import jax_rows, meaning, rows
from jaxvstorch._port.map.verdict import FILE, verdicts

pytest.importorskip("torch", reason="the check runs both frameworks")
pytest.importorskip("expecttest", reason="PyTorch's samples need it")

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map import paste_torch
from jaxvstorch._port.map.row import FREE_IN_PYTORCH
from jaxvstorch._port.map.running.of_jax import of_jax, parameters
from tools.check_map import from_jax, samples, turning
from tools.check_map.jax_calls import namespace
from tools.check_map.judge import complaint, judge

STATE = FILE.read_bytes()
# How much rounding there is depends on the machine.
DECIDED = frozenset({"rounding"})


def kinds(verdict) -> set[str]:
    return {difference.kind for difference in verdict.differences} - DECIDED


def drawn() -> list[str]:
    """A tenth of the names, another one for each state of the map."""
    digests = {name: hashlib.sha256(name.encode() + STATE).digest() for name in jax_rows()}
    return [name for name, digest in digests.items() if digest[0] < 256 / 10]


def own_names() -> list[str]:
    """The names that JAX has; those of linen, equinox and haiku only lead to others."""
    return [name for name, row in jax_rows().items() if not from_jax.elsewhere(row)]


def test_a_line_of_jax_is_read() -> None:
    row = parse("jnp.matmul(a, b) => torch.matmul(a, b)")
    assert row.framework == "jax"
    assert row.torch_names == ("torch.matmul",)
    assert row.jax_names == ()
    assert parse("Array.T => self.T").attribute
    assert parse("torch.exp(input) => jnp.exp(input)").framework == "torch"


def test_a_generator_stands_for_a_key() -> None:
    row = parse("jax.random.normal(key, shape) => torch.randn(shape, generator=generator)")
    assert row.draws
    with pytest.raises(LineError, match="use or refuse key"):
        parse("jax.random.normal(key, shape) => torch.randn(shape)")


def test_turned_lines_are_in_step() -> None:
    assert turning.FILE.read_text(encoding="utf-8") == turning.text(), "run `nox -s names`"


def test_a_form_leads_to_a_name_of_jax() -> None:
    assert meaning(jax_rows()["jax.tree_util.tree_map"]) is jax_rows()["jax.tree.map"]
    assert not jax_rows().keys() & rows().keys()


def test_every_name_exists_in_jax() -> None:
    for name in own_names():
        of_jax(name)


def test_every_parameter_of_jax_is_in_its_line() -> None:
    missing = {}
    for name in own_names():
        row = jax_rows()[name]
        called = row.called is not None or name.startswith("Array.")
        if row.expression is None or row.made is None or called:
            continue
        try:
            named = {p.name for p in parameters(name)}
        except ValueError:  # it is not written in Python
            continue
        if left := named - row.parameters.keys():
            missing[name] = left
    assert missing == {}


def test_expressions_read_only_what_they_are_given() -> None:
    given = FREE_IN_PYTORCH | vars(builtins).keys() | {"jnp"}  # of defaults
    for row in jax_rows().values():
        code = compile(row.source(row.expression or "0"), row.name, "eval")
        assert _globals(code) <= given, row.name


def _globals(code: CodeType) -> set[str]:
    """The names that code reads and neither takes nor gives values itself."""
    read = {
        op.argval for op in dis.get_instructions(code) if op.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return read.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def test_every_name_of_pytorch_in_a_text_exists() -> None:
    for row in jax_rows().values():
        for name in re.findall(r"\btorch(?:\.\w+)+", row.option("instead") or ""):
            assert pkgutil.resolve_name(name), row.name


def test_every_line_was_tried() -> None:
    recorded = verdicts().names
    for name in own_names():
        meant = meaning(jax_rows()[name])
        assert bool(recorded[name].calls) == (meant.expression is not None), name


@pytest.mark.skipif(
    any(
        metadata.version(name).partition("+")[0] != version  # 2.13.0+cpu
        for name, version in verdicts().versions.items()
    ),
    reason="the map was recorded with other versions, in which some of its names differ",
)
@pytest.mark.parametrize("name", drawn())
@pytest.mark.usefixtures("memory_freed")
def test_a_tenth_of_the_lines_is_as_recorded(name, monkeypatch) -> None:
    """Tries some calls of each drawn name; `nox -s names` tries every call of every name."""
    monkeypatch.setattr(samples, "stride", 6)
    judged, kept = judge(jax_rows()[name]), verdicts().names[name]
    assert kinds(judged) <= kinds(kept)
    assert bool(judged.calls) == bool(kept.calls)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(
            "jnp.cumprod(a, axis) => torch.cumsum(a, axis) ; try: [(x, 0), (x, 1)]",
            "most calls differ",
            id="another function",
        ),
        pytest.param(
            "jnp.fliplr(m) => torch.fliplr(m) ; first: torch.fliplr(m)",
            "gives the same",
            id="what is called wrong is right",
        ),
    ],
)
def test_a_wrong_line_is_reported(line, reason) -> None:
    row = parse(line)
    assert reason in (complaint(row, judge(row)) or "")


def test_a_line_that_switches_compiling_off_does_so_for_its_own_calls() -> None:
    judge(jax_rows()["jax.disable_jit"])
    programs = []

    def backend(graph, inputs):
        programs.append(graph)
        return graph

    torch.compile(torch.sin, backend=backend)(torch.ones(1))
    assert len(programs) == 1


def test_a_key_draws_again_what_a_generator_does_not() -> None:
    row = jax_rows()["jax.random.normal"]
    assert "drawn again" in kinds(judge(row))


def test_what_comes_behind_a_parameter_left_out_is_given_by_name() -> None:
    wrong = {}
    for name in own_names():
        row = jax_rows()[name]
        if row.expression is None or row.made is None or row.called or name.startswith("Array."):
            continue
        try:
            by_name = {p.name for p in parameters(name) if p.kind is p.KEYWORD_ONLY}
        except ValueError:  # it is not written in Python
            continue
        written = inspect.signature(eval(f"lambda {row.made}: 0", namespace())).parameters
        by_position = {n for n, p in written.items() if p.kind is not p.KEYWORD_ONLY}
        if found := by_name & by_position:
            wrong[name] = found
    assert wrong == {}


def test_gamma_and_beta_have_their_sign_below_zero() -> None:
    x = np.array([-2.5, -1.5, -1.0, -0.5, 0.0, 0.5, 3.0], np.float32)
    of_jax_x, of_torch_x = jnp.asarray(x), torch.from_numpy(x)
    gamma = jax.scipy.special.gamma(of_jax_x)
    np.testing.assert_allclose(paste_torch.gamma_function(of_torch_x), gamma, rtol=2e-5)
    beta = jax.scipy.special.beta(of_jax_x, 1.25)
    np.testing.assert_allclose(paste_torch.beta_function(of_torch_x, 1.25), beta, rtol=2e-5)
