"""Functions to explain: a comment after each line says which mark it gets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expected_marks import marks_of
from framework_counts import check_dynamo, check_jaxpr

from jaxvstorch import _frameworks, explain
from jaxvstorch._explain.explanation import Explanation

X = np.arange(4, dtype=np.float32)
M = np.ones((3, 4), np.float32)


def cases(*of: str) -> tuple[Callable[..., Any], Callable[..., None]]:
    """A decorator that collects functions to explain, and the test of all of them.

    ``@case(X, True, static="flag")`` says a function's arguments, and which is static to
    ``jax.jit``.

    Args:
        *of: the frameworks whose compilers are to explain them.
    """
    kept: list[Any] = []

    def case(*arguments: Any, static: str | None = None) -> Callable[[Any], Any]:
        def keep(function: Any) -> Any:
            kept.append(pytest.param(function, arguments, static, id=function.__name__))
            return function

        return keep

    @pytest.mark.parametrize("framework", of, indirect=True)
    @pytest.mark.parametrize(("function", "arguments", "static"), kept)
    def test_marks(framework, function, arguments, static) -> None:
        check_case(framework, function, arguments, static)

    return case, test_marks


def given(framework: str, *arguments: Any) -> list[Any]:
    """New arguments, as arrays of the framework: some functions change theirs."""
    convert = _frameworks.adapter(framework).from_numpy

    def anew(value: Any) -> Any:
        is_dict = isinstance(value, dict)
        return {key: anew(value[key]) for key in value} if is_dict else convert(value)

    return [anew(argument) for argument in arguments]


def check_case(framework: str, function: Any, arguments: Any, static: str | None) -> None:
    """The marks are as the comments say; the programs are those that the framework itself makes."""
    if framework == "jax":
        jax = pytest.importorskip("jax")
        jitted = jax.jit(function, static_argnames=static)
        explanation = explain(jitted, *arguments)
    else:
        explanation = explain(function, *given(framework, *arguments))
    check_comments(explanation)
    assert explanation.sources[0].name == explanation.function == function.__name__
    if explanation.found("failed"):
        assert explanation.programs == ()
    elif framework == "jax":
        check_jaxpr(explanation, jitted.trace(*arguments).jaxpr)
    else:
        check_dynamo(explanation, function, *given(framework, *arguments))


def check_touched(explanation: Explanation, words: str) -> None:
    """One finding has these words, and all findings link to the page about purity."""
    assert any(words in finding.what for finding in explanation.findings), explanation.findings
    assert all(finding.page == "purity" for finding in explanation.findings)


def check_kind(explanation: Explanation, framework: str, name: str) -> None:
    """The marks are as the comments say, and the function becomes one program of this framework."""
    check_comments(explanation)
    assert explanation.sources[0].name == name
    assert explanation.framework == framework
    assert len(explanation.programs) == 1


def check_comments(explanation: Explanation) -> None:
    """Compare every line shown with the comment after it: ``y = x * 2  # -> A1``.

    The comment says what an entry in a file would say; a line without one has no mark. A long one
    stands above its line, on one or more lines of its own. Where the frameworks differ, JAX's mark
    stands before PyTorch's: ``# -> A6 | A3``.
    """
    assert explanation.sources
    column = -1 if explanation.framework == "torch" else 0
    differences = []
    for source, entries in marks_of(explanation).items():
        if source == "elsewhere":
            differences.append(f"  no line for {entries}")
            continue
        above: list[str] = []
        for offset, line in enumerate(explanation.source(source).lines):
            code, _, comment = line.text.partition("# -> ")
            mark = comment.split("  # ")[0].strip()
            actual = entries.get(str(offset), ["", ""])[0]
            wanted = " ".join([*above, mark]).split(" | ")[column] if code.strip() else ""
            if actual != wanted.strip():
                differences.append(
                    f"  {source} {offset}: found {actual!r}\n    {line.text.strip()}"
                )
            above = [] if code.strip() else [*above, mark]
    assert not differences, "\n".join(["the marks are not as the comments say:", *differences])
