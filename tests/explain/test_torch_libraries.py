"""``explain`` on PyTorch's own code, and on that of libraries on top of it.

What must hold for all is checked on all functions. The marks of one function per library are kept
under ``marks/torch_libraries``, and were checked by hand against its source and the FX graphs.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from expected_marks import check
from framework_counts import check_dynamo
from surroundings import unchanged
from torch_functions import (
    TORCH_DISTRIBUTIONS,
    TORCH_FUNC_AND_OPTIM,
    TORCH_NN,
    Call,
    torch,
)
from torch_library_functions import EINOPS, TRANSFORMERS

from jaxvstorch import explain
from jaxvstorch._explain.explanation import Explanation

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
CHECKED_BY_HAND = {
    "torch": ("torch_nn", "TransformerEncoderLayer"),
    "einops": ("einops", "pack"),
    "transformers": ("transformers", "MixtralSparseMoeBlock"),
}


@pytest.fixture(autouse=True)
def same_numbers() -> Iterator[None]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        # Of these libraries' own, not of what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def explained(made: Call) -> Explanation:
    return explain(made.function, *made.args, framework="torch", **made.kwargs)


@pytest.mark.parametrize("library", CHECKED_BY_HAND)
def test_marks(library: str) -> None:
    file, name = CHECKED_BY_HAND[library]
    check(f"torch_libraries/{library}.toml", name, explained(FILES[file][name]()))


@pytest.mark.parametrize(("file", "name"), CASES)
def test_what_holds_of_every_explanation(file: str, name: str) -> None:
    made = FILES[file][name]()
    with unchanged("torch"), torch.random.fork_rng(devices=[]):  # some draw random numbers
        explanation = explained(made)
    made = FILES[file][name]()  # some change their arguments
    if explanation.programs:
        check_dynamo(explanation, made.function, *made.args, **made.kwargs)
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
    locations = {(f.file, f.line) for f in explanation.found("break")}
    assert all(stack & locations for stack in stacks)
    # Dynamo keeps no reason for a function that it skips without reading: its first line counts.
    heads = {
        (source.file, next(line.number for line in source.lines if line.mark))
        for source in explanation.sources
    }
    assert locations <= heads.union(*stacks)


def test_under_three_times_the_time_of_dynamo() -> None:
    def seconds(run: Callable[[], Any]) -> float:
        torch.compiler.reset()
        begin = time.process_time()
        run()
        return time.process_time() - begin

    made = TORCH_NN["TransformerEncoderLayer"]()
    compiled = torch.compile(made.function, backend="eager")
    compiling = min(seconds(lambda: compiled(*made.args, **made.kwargs)) for _ in range(3))
    assert min(seconds(lambda: explained(made)) for _ in range(3)) < 3 * compiling


def test_further_functions_of_a_library_take_a_line_each() -> None:
    explanation = explained(TRANSFORMERS["GPT2MLP"]())
    name = explanation.sources[1].name
    assert len(explanation.source(name).lines) > 1
    (line,) = [text for text in str(explanation).splitlines() if f"{name}, " in text]
    assert "transformers/" in line
    assert str(explanation).count("def forward(") == 1
