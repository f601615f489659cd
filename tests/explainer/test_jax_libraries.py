"""``explain`` on functions that no one here wrote, from JAX and from public packages on top of it.

Their marks are kept under ``marks/jax_libraries/``, one file per package, without their source.
They hold for the versions that the file names. Of a function that calls many others, a file may
hold some of the sources, the first always among them.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from marks import check, check_jaxpr, expected

from jaxvstorch import explain
from jaxvstorch.explainer.explanation import Explanation

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax_modules  # noqa: E402, F401  # which adds to what jax_functions holds
from jax_functions import BUILDERS, PACKAGES, Call  # noqa: E402

# The functions that optax.warmup_cosine_decay_schedule puts together.
SCHEDULES = ("join_schedules", "polynomial_schedule", "cosine_decay_schedule")
FAILING = (
    "nonzero", "cosine_similarity_of_other_shapes", "rearrange_of_other_axes",
    "nnx_embed_of_floats", "eqx_dropout_without_a_key",
)  # fmt: skip


@cache
def build(name: str) -> Call:
    package = PACKAGES[name]
    pytest.importorskip(package, reason=f"{package} is not installed")
    return BUILDERS[name]()


@cache
def explained(name: str) -> Explanation:
    function, args, kwargs = build(name)
    return explain(function, *args, **kwargs)


def kept(name: str) -> dict[str, Any]:
    """The marks that were checked; skips where they were checked with other versions."""
    tables = expected(f"jax_libraries/{PACKAGES[name]}.toml")
    for package, checked in tables["versions"].items():
        if version(package) != checked:
            pytest.skip(f"marks were checked with {package} {checked}, not {version(package)}")
    return tables[name]


def only(explanation: Explanation, names: Any) -> Explanation:
    """The same with no more than these sources, and what was found in them."""
    sources = tuple(source for source in explanation.sources if source.name in names)
    places = {(source.file, line.number) for source in sources for line in source.lines}
    findings = tuple(f for f in explanation.findings if (f.file, f.line) in places)
    return replace(explanation, sources=sources, findings=findings)


@pytest.mark.parametrize("name", BUILDERS)
def test_marks(name: str) -> None:
    explanation = explained(name)
    tables = kept(name)
    assert explanation.sources[0].name in tables
    check(name, only(explanation, tables), tables, texts=False)


@pytest.mark.parametrize("name", [name for name in BUILDERS if name not in FAILING])
def test_as_many_operations_as_the_jaxpr_has_equations(name: str) -> None:
    check_jaxpr(explained(name), build(name).by_jax())


@pytest.mark.parametrize("name", FAILING)
def test_the_error_is_the_one_that_jax_raises(name: str) -> None:
    call = build(name)
    with pytest.raises(Exception) as raised:  # noqa: PT011  # compared below
        call.by_jax()
    explanation = explained(name)
    (found,) = explanation.found("failed")
    kind, _, message = found.what.partition(": ")
    assert kind == raised.type.__name__
    assert message
    assert message in str(raised.value)
    assert explanation.programs == ()


@pytest.mark.parametrize("name", BUILDERS)
def test_every_operation_stands_on_a_line_of_the_function(name: str) -> None:
    explanation = explained(name)
    for program in explanation.programs:
        first = explanation.sources[0]
        for where, number in program.operations.items():
            assert sum(line.operations.get(where, 0) for line in first.lines) >= number


@pytest.mark.parametrize("name", BUILDERS)
def test_it_can_be_shown(name: str) -> None:
    explanation = explained(name)
    text, page = str(explanation), explanation._repr_html_()
    assert explanation.function in text
    assert explanation.to_json()
    assert page.count("<") > 10


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("nnx_linear", ["Linear.__call__"]),
        ("nnx_dropout", ["Dropout.__call__", "RngStream.__call__"]),
        ("eqx_conv2d", ["Conv.__call__"]),
        ("cosine_schedule", [f"{name}.schedule" for name in SCHEDULES]),
    ],
)  # fmt: skip
def test_of_a_package_only_functions_with_operations_are_shown(
    name: str, sources: list[str]
) -> None:
    assert [source.name for source in explained(name).sources] == sources


def test_the_readers_functions_come_before_those_of_the_library() -> None:
    nn = pytest.importorskip("flax.linen", reason="flax is not installed")

    class Layer(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(3)(x) + 1

    layer, x = Layer(), jax.numpy.ones((2, 4))
    explanation = explain(layer.apply, layer.init(jax.random.key(0), x), x)
    first, second, *_ = (source.name.rpartition("<locals>.")[2] for source in explanation.sources)
    assert first == "Module.apply"
    assert second.endswith("Layer.__call__")
    assert len(str(explanation).splitlines()) < 50


TIMED = (
    "norm_logpdf", "conjugate_gradients", "associative_scan", "clip_by_global_norm", "rearrange",
    "nnx_attention", "nnx_jit", "eqx_mlp", "hmc_step",
)  # fmt: skip


@pytest.fixture(scope="module")
def times() -> dict[str, tuple[float, float]]:
    """Seconds to compile and to explain, of each whose package is installed."""
    here = Path(__file__).parent
    names = [name for name in TIMED if find_spec(PACKAGES[name])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(here), str(here.parent)))}
    done = subprocess.run(
        [sys.executable, here / "explain_times.py", *names],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", TIMED)
def test_under_twice_the_time_of_a_trace_and_a_compilation(name: str, times) -> None:
    pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    compiling, explaining = times[name]
    assert explaining < 2 * compiling
