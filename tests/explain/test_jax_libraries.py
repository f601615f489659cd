"""``explain`` on functions of JAX and of public packages on top of it.

What must hold for all is checked on all of them. The marks of one function per package are kept
under ``marks/jax_libraries/``, and were checked by hand beside the source and the jaxpr; einops is
among the libraries of PyTorch.
"""

import json
import os
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from expected_marks import check
from framework_counts import check_jaxpr
from surroundings import unchanged

from jaxvstorch import explain
from jaxvstorch._explain.explanation import Explanation

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax_modules  # noqa: E402, F401  # which adds to what jax_functions holds
from jax_functions import BUILDERS, PACKAGES, Call  # noqa: E402

# The functions that optax.warmup_cosine_decay_schedule puts together.
SCHEDULES = ("join_schedules", "polynomial_schedule", "cosine_decay_schedule")
FAILING = (
    "nonzero", "cosine_similarity_of_other_shapes", "rearrange_of_other_axes",
    "nnx_embed_of_floats", "eqx_dropout_without_a_key",
)  # fmt: skip
CHECKED_BY_HAND = (
    "conjugate_gradients", "clip_by_global_norm", "nnx_dropout", "eqx_conv2d",
    "effective_sample_size", "euler_step",
)  # fmt: skip


def build(name: str) -> Call:
    package = PACKAGES[name]
    pytest.importorskip(package, reason=f"{package} is not installed")
    return BUILDERS[name]()


@cache
def explained(name: str) -> Explanation:
    function, args, kwargs = build(name)
    return explain(function, *args, **kwargs)


@pytest.mark.parametrize("name", CHECKED_BY_HAND)
def test_marks(name: str) -> None:
    check(f"jax_libraries/{PACKAGES[name]}.toml", name, explained(name))


@pytest.mark.parametrize("name", BUILDERS)
def test_what_holds_of_every_explanation(name: str) -> None:
    call = build(name)
    with unchanged("jax"):
        explanation = explained(name)
    if name in FAILING:
        check_error(explanation, call)
    else:
        check_jaxpr(explanation, call.by_jax())
    first = explanation.sources[0]
    for program in explanation.programs:
        for where, number in program.operations.items():
            assert sum(line.operations.get(where, 0) for line in first.lines) >= number
    assert explanation.function in str(explanation)
    assert explanation._repr_html_().count("<") > 10
    assert explanation.to_json()


def check_error(explanation: Explanation, call: Call) -> None:
    """The error is the one that JAX raises."""
    with pytest.raises(Exception) as raised:  # noqa: PT011  # compared below
        call.by_jax()
    (finding,) = explanation.found("failed")
    kind, _, message = finding.what.partition(": ")
    assert kind == raised.type.__name__
    said = re.findall(r"\w+", str(raised.value))
    assert message
    words = re.findall(r"\w+", message.partition(". ")[0])  # what follows may name an argument
    assert [word for word in words if word not in said] == []
    assert explanation.programs == ()


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


TIMED = ("norm_logpdf", "nnx_attention", "hmc_step")  # small, middling, large


@pytest.fixture(scope="module")
def times() -> dict[str, tuple[float, float]]:
    """Seconds to compile and to explain each function whose package is installed."""
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
