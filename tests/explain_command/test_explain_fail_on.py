"""``--fail-on``: what makes ``explain`` fail."""

import logging
from pathlib import Path

import pytest
from running import run


def test_what_must_not_be_found_and_was(with_torch) -> None:
    result = run("model_torch.py:breaks", "--arg", "f32[3]", "--fail-on", "impure, break")
    assert result.exit_code == 1
    messages = [line for line in result.stderr.splitlines() if line.startswith("jaxvstorch: ")]
    assert messages[0].startswith("jaxvstorch: --fail-on: break at model_torch.py:11: ")
    assert "breaks in PyTorch" in result.stdout


def test_what_must_not_be_found_and_was_not(with_torch) -> None:
    kinds = "break,impure,frozen,unrolled,callback,failed"
    result = run("model_torch.py:clean", "--arg", "f32[3]", "--fail-on", kinds)
    assert (result.exit_code, result.stderr) == (0, "")


def test_an_unrolled_loop_can_fail(with_jax) -> None:
    arguments = ["model_jax.py:repeat", "--arg", "f32[3]", "--arg", "2"]
    result = run(*arguments, "--fail-on", "unrolled")
    assert result.exit_code == 1
    assert "jaxvstorch: --fail-on: unrolled at model_jax.py:" in result.stderr
    assert run(*arguments, "--fail-on", "break").exit_code == 0


@pytest.mark.parametrize(("second", "status"), [("f32[3]", 0), ("f32[4]", 1)])
def test_a_retrace_is_a_later_call_that_traced_again(with_jax, second, status) -> None:
    calls = ["--call", "f32[3]", "--call", second]
    result = run("model_jax.py:clean", *calls, "--fail-on", "retrace")
    assert result.exit_code == status
    assert ("--fail-on: retrace at call 2 (f32[4]): " in result.stderr) == bool(status)


CHOSEN = """
import torch

@torch.compile(backend="eager")
def chosen(x, name):
    return x * len(name)
"""


def test_a_call_past_the_recompile_limit_is_a_retrace(with_torch) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    Path("chosen.py").write_text(CHOSEN)
    texts = ["'a'", "'bb'", "'a'", "'cc'"]
    calls = [word for text in texts for word in ("--call", f"f32[3], {text}")]
    logger = logging.getLogger("torch._dynamo.convert_frame")
    logger.addFilter(drop := lambda record: False)
    with torch._dynamo.config.patch(recompile_limit=1):
        result = run("chosen.py:chosen", *calls, "--fail-on", "retrace")
    logger.removeFilter(drop)
    assert result.exit_code == 1
    first, second = (line for line in result.stderr.splitlines() if "--fail-on" in line)
    assert first.endswith(
        "retrace at call 2 (f32[3], 'bb'): ran uncompiled: recompile_limit (1) "
        "reached; name: 'a' → 'bb'"
    )
    assert "retrace at call 4 (f32[3], 'cc'): ran uncompiled" in second


LEFT = """
import torch

@torch.compile(backend="eager")
def doubled_if(x, flag):
    return x * 2 if flag else x

@torch.compile(backend="eager")
def same(x, flag):
    return x
"""


@pytest.mark.usefixtures("fresh_torch_compile")
@pytest.mark.parametrize(("function", "status"), [("doubled_if", 1), ("same", 0)])
def test_what_went_from_compiled_to_uncompiled_is_a_retrace(with_torch, function, status) -> None:
    Path("left.py").write_text(LEFT)
    texts = ["True", "False", "True"]
    calls = [word for text in texts for word in ("--call", f"f32[3], {text}")]
    result = run(f"left.py:{function}", *calls, "--fail-on", "retrace")
    assert result.exit_code == status
    assert ("retrace at call 3 (f32[3], True): ran uncompiled" in result.stderr) == bool(status)
