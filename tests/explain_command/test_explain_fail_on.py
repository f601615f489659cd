"""``--fail-on``: what makes ``explain`` fail."""

import pytest
from running import run


def test_what_must_not_be_found_and_was(with_torch) -> None:
    result = run("model_torch.py:breaks", "--arg", "f32[3]", "--fail-on", "impure, break")
    assert result.exit_code == 1
    said = [line for line in result.stderr.splitlines() if line.startswith("jaxvstorch: ")]
    assert said[0].startswith("jaxvstorch: --fail-on: break at model_torch.py:11: ")
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
