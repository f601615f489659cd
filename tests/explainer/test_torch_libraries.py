"""``explain`` on code that no one here wrote: PyTorch's own, and that of libraries on top of it.

The expected marks, under ``marks/torch_libraries``, were checked by hand against the libraries'
source and the FX graphs. They hold for the versions that stand there with them.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import marks
import pytest
from torch_functions import (
    TORCH_DISTRIBUTIONS,
    TORCH_FUNC_AND_OPTIM,
    TORCH_NN,
    Call,
    torch,
)
from torch_library_functions import EINOPS, TRANSFORMERS

from jaxvstorch import explain
from jaxvstorch.explainer.explanation import Explanation

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

FILES = {
    "torch_nn": TORCH_NN,
    "torch_distributions": TORCH_DISTRIBUTIONS,
    "torch_func_and_optim": TORCH_FUNC_AND_OPTIM,
    "einops": EINOPS,
    "transformers": TRANSFORMERS,
}
CASES = [
    pytest.param(file, name, id=f"{file}: {name}")
    for file, cases in FILES.items()
    for name in cases
]


@pytest.fixture(autouse=True)
def same_numbers() -> Iterator[None]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        # Of these libraries' own, not of what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def explained(file: str, name: str) -> Explanation:
    made = FILES[file][name]()
    return explain(made.function, *made.args, framework="torch", **made.kwargs)


@pytest.mark.parametrize(("file", "name"), CASES)
def test_marks_are_those_checked_by_hand(file: str, name: str) -> None:
    explanation = explained(file, name)
    tables = marks.expected(f"torch_libraries/{file}.toml")
    for package, checked_with in tables["versions"].items():
        there = version_of(package)
        if there != checked_with:
            pytest.skip(f"the marks were checked with {package} {checked_with}, not {there}")
    marks.check(name, explanation, tables[name], texts=False)


def version_of(package: str) -> str:
    if package == "python":
        return ".".join(map(str, sys.version_info[:2]))
    return version(package).partition("+")[0]


@pytest.mark.parametrize(("file", "name"), CASES)
def test_counts_are_those_of_dynamo(file: str, name: str) -> None:
    explanation = explained(file, name)
    made = FILES[file][name]()
    if explanation.programs:
        marks.check_dynamo(explanation, made.function, *made.args, **made.kwargs)
    else:
        check_no_program(explanation, made)


def check_no_program(explanation: Explanation, made: Call) -> None:
    """Dynamo too makes no graph, and gives up at the same lines."""
    reasons = torch._dynamo.utils.graph_break_reasons
    torch.compiler.reset()
    reasons.clear()
    graphs = []

    def backend(graph: Any, inputs: list[Any]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    torch.compile(made.function, backend=backend)(*made.args, **made.kwargs)
    assert not graphs
    stacks = [{(f.filename, f.lineno) for f in r.user_stack} for r in reasons if r.graph_break]
    found = {(f.file, f.line) for f in explanation.found("break")}
    assert all(stack & found for stack in stacks)
    # Of a function that Dynamo skips without reading it, no reason is kept: its first line tells.
    heads = {
        (source.file, next(line.number for line in source.lines if line.mark))
        for source in explanation.sources
    }
    assert all(place in heads or any(place in stack for stack in stacks) for place in found)
