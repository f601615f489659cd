"""What is shown of a half stands alone. tests/test_pairs.py runs each half from that text."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from test_imports import WITHOUT

from jaxvstorch import _frameworks
from jaxvstorch._pairs.plain import without_shapes
from jaxvstorch._pairs.registry import PAIRS, example


def shown(name: str, framework: str, **options: bool) -> str:
    return example(name).source(framework, **options)


@pytest.mark.parametrize("shapes", [False, True])
@pytest.mark.parametrize("framework", [name for name in _frameworks.FRAMEWORKS if find_spec(name)])
def test_every_half_needs_nothing_of_the_package(framework: str, shapes: bool, tmp_path) -> None:
    """In one process that cannot import the package, nor, without shapes, jaxtyping."""
    for pair in PAIRS:
        file = tmp_path / f"{pair}.py"
        file.write_text(pair.source(framework, shapes=shapes))
    missing = ["jaxvstorch"] if shapes else ["jaxvstorch", "jaxtyping"]
    code = (
        "".join(WITHOUT.format(missing=each) for each in missing)
        + f"""
import pathlib, runpy
for file in sorted(pathlib.Path({str(tmp_path)!r}).glob("*.py")):
    assert callable(runpy.run_path(str(file))[file.stem.partition(".")[2]]), file
"""
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=1200
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_with_shapes_every_half_is_the_same_code(framework: str) -> None:
    for pair in PAIRS:
        lines = without_shapes(shown(str(pair), framework, shapes=True)).splitlines()
        kept = [line for line in lines if not line.startswith("from jaxtyping")]
        assert kept == shown(str(pair), framework).splitlines(), pair


def test_a_function_comes_with_its_imports_and_helpers_in_the_order_of_its_file() -> None:
    assert shown("branching.activate_select", "torch").startswith(
        "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n"
        "_ACTIVATIONS = (torch.tanh, torch.sigmoid, F.silu)\n\n\n"
        "def activate_select(kind: Tensor, x: Tensor) -> Tensor:\n"
    )
    text = shown("methods.calibrated_host_slope", "torch")
    parts = [
        "KNOTS =",
        "def _look_up",
        "def _curve(",
        "_curve.register_autograd(",
        "def calibrated",
    ]
    assert [text.count(part) for part in parts] == [1] * len(parts)
    assert sorted(parts, key=text.index) == parts
    assert "@_curve.register_fake\ndef _curve_fake" in text
    assert '"pasted_methods::curve"' in text, "the package's operator would be replaced"


def test_a_rule_of_differentiation_comes_with_its_function() -> None:
    text = shown("autodiff.clip_gradient", "jax")
    assert text.endswith("\n\n\nclip_gradient.defvjp(_clip_forward, _clip_backward)")


def test_what_another_module_of_the_topic_defines_is_in_the_text() -> None:
    for framework in _frameworks.FRAMEWORKS:
        text = shown("pytrees.adam_step", framework)
        assert text.startswith("from typing import Any, NamedTuple\n\nimport ")
        assert text.index("class Moments(NamedTuple):") < text.index("def adam_step(")


def test_comments_and_globals_come_along() -> None:
    assert "\n# A table: what is read" in shown("methods.calibrated", "jax")
    assert "\ncalls = 0\n" in shown("purity.counted", "jax")


def test_annotations_without_shapes() -> None:
    text = """\
from jaxtyping import Float, Int

Named = dict[str, Float[Array, "..."]]


class Holder:
    held: list[Float[Array, " n"]] = []  # é

    def first(
        self, x: Float[Array, "batch n"], *, i: Int[Array, ""] | None = None
    ) -> tuple[Float[Array, " n"], Named]:
        # below the signature
        return {"é": x[0]}, x  # Float[Array, "n"]
"""
    plain = without_shapes(text)
    assert plain.startswith("from jaxtyping import Float, Int\n\nNamed = dict[str, Array]\n")
    assert "\n    held: list[Array] = []\n" in plain
    head = "    def first(self, x: Array, *, i: Array | None=None) -> tuple[Array, Named]:\n"
    assert f'{head}        # below the signature\n        return {{"é": x[0]}}, x  # Float' in plain
