"""What importing costs, and what happens where a framework is missing."""

import os
import subprocess
import sys

import pytest

from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._pairs.registry import position, topics

# As Python sees a package that is not installed: nobody on the import path has it.
WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, *args, **kwargs):
        if name.partition('.')[0] != {missing!r}:
            return self.finder.find_spec(name, *args, **kwargs)
    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
"""
OTHER = {"jax": "torch", "torch": "jax"}


def python(code: str, missing: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh Python, where one framework may be missing."""
    setup = WITHOUT.format(missing=missing) if missing else ""
    command = [sys.executable, "-c", setup + code]
    return subprocess.run(command, capture_output=True, text=True)


def output(code: str, missing: str | None = None) -> str:
    done = python(code, missing)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module",
    ["jaxvstorch", "jaxvstorch._pairs.registry", "jaxvstorch._command.cli", "jaxvstorch._parity"],
)
def test_importing_the_package_imports_neither_framework(module) -> None:
    code = f"import sys, {module}; print({{'jax', 'jaxlib', 'torch'}} & set(sys.modules))"
    assert output(code) == "set()"


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import importlib, sys, typing; before = set(sys.modules); import jaxvstorch;"
        "print(sorted(set(sys.modules) - before))"
    )
    assert output(code) == "['jaxvstorch']"


def installed() -> list[str]:
    from importlib.util import find_spec

    return [framework for framework in FRAMEWORKS if find_spec(framework)]


# `nox -s tests_jax_only` runs JAX's halves where PyTorch is not installed.
@pytest.mark.parametrize("framework", installed()[-1:])
@pytest.mark.parametrize("part", sorted({position(topic)[0] for topic in topics()}))
def test_the_halves_work_without_the_other_framework(framework, part) -> None:
    missing = OTHER[framework]
    code = f"""
import sys
from jaxvstorch._pairs.registry import PAIRS, position
for pair in PAIRS:
    if position(pair.topic)[0] != {part}:
        continue
    arguments = pair.to_framework({framework!r}, pair.make_inputs(4))
    pair.half({framework!r})(*arguments)
assert {missing!r} not in sys.modules
"""
    output(code, missing)


def test_explaining_without_stages_does_not_import_inductor() -> None:
    if "torch" not in installed():
        pytest.skip("PyTorch is not installed")
    code = """
import sys, torch
from jaxvstorch import explain
from jaxvstorch.examples.tracing import torch as tracing
explain(tracing.sin_cos, torch.ones(3))
print("torch._inductor.compile_fx" in sys.modules)
"""
    assert output(code) == "False"


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "code",
    [
        "from jaxvstorch._pairs.registry import PAIRS; PAIRS[0].half('{framework}')",
        "import jaxvstorch; jaxvstorch.check_parity(len, len, ())",
    ],
)
def test_a_missing_framework_is_one_clear_error(code, framework) -> None:
    done = python(code.format(framework=framework), missing=framework)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("jaxvstorch.MissingFrameworkError: ")
    assert f"needs {TITLES[framework]}, which is not installed." in last
    assert "pip install jaxvstorch" in last
    assert "'jaxvstorch[cuda13]'" in last
    assert ("'jaxvstorch[tpu]'" in last) == (framework == "jax")
    assert "During handling" not in done.stderr


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "command",
    [
        ["explain", "double.py:double", "--arg", "f32[3]", "--framework", "both"],
        ["explain", "double.py:double", "--arg", "f32[3]", "--framework"],
        ["try", "branching.select_where"],
    ],
    ids=["both", "one", "try"],
)
def test_a_framework_that_cannot_be_imported_is_one_clear_error(
    command, framework, tmp_path
) -> None:
    if {*installed()} != {*FRAMEWORKS}:
        pytest.skip("both frameworks are needed")
    (tmp_path / "double.py").write_text("def double(x):\n    return x + x\n")
    (tmp_path / "broken" / framework).mkdir(parents=True)
    (tmp_path / "broken" / framework / "__init__.py").write_text("raise ImportError('no .so')")
    command = [*command, framework] if command[-1] == "--framework" else command
    done = subprocess.run(
        [sys.executable, "-m", "jaxvstorch", *command], cwd=tmp_path, capture_output=True,
        text=True, env=os.environ | {"PYTHONPATH": str(tmp_path / "broken")},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "cannot import what it needs (ImportError: no .so). `pip install" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_missing_framework_can_be_caught_as_a_missing_module(framework) -> None:
    code = f"""
try:
    import jaxvstorch.examples.branching.{framework}
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert output(code, missing=framework) == framework


def test_other_names_are_missing_in_the_ordinary_way() -> None:
    done = python("from jaxvstorch.examples.branching import tensorflow")
    assert "ImportError: cannot import name 'tensorflow'" in done.stderr
    done = python("import jaxvstorch; jaxvstorch.nothing")
    assert "AttributeError: module 'jaxvstorch' has no attribute 'nothing'" in done.stderr


def test_the_benchmarks_name_what_they_need_and_lack() -> None:
    run = "import runpy; runpy.run_module('benchmarks', run_name='__main__')"
    done = python(run, missing="pytest_benchmark")
    assert done.returncode == 2
    assert done.stderr == "pytest-benchmark is not installed: pip install --group bench\n"
