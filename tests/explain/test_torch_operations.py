"""Operations of PyTorch, loops and branches of its graphs, and functions that take functions."""

import numpy as np
import pytest
from commented_functions import M, X, cases, check_comments
from framework_counts import check_dynamo

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

case, test_marks = cases("torch")


@case(X)
def functions_of_the_framework(x):
    y = torch.sin(x) + 1  # -> A2
    return torch.where(y > 0, y, 0.0)  # -> A2


@case(X)
def methods(x):
    return x.sin().cos_().sum()  # -> A3


@case(X, np.array(True))
def conditional(x, flag):
    def double(x):  # -> traced
        return x + x  # -> A: 1 in cond true branch

    # -> A2, 2 in cond false branch, 1 in cond true branch
    return torch.cond(flag, double, lambda x: torch.sin(x) * x, (x,))


@case(X)
def while_of_the_graph(x):
    def unfinished(x):  # -> traced
        return x.sum() < 100  # -> A: 2 in while condition

    def step(x):  # -> traced
        return (x * 2,)  # -> A: 1 in while body

    # -> A2, 1 in while body, 2 in while condition
    return torch.while_loop(unfinished, step, (x,))[0]


@case(M)
def vectorises(m):
    def score(row):  # -> traced
        return torch.sin(row).sum()  # -> A2

    return torch.vmap(score)(m).sum()  # -> A7


def test_a_gradient_inside() -> None:
    def loss(x):
        return (x * x).sum()

    def slope(x):
        return torch.func.grad(loss)(x) + 1

    explanation = explain(slope, torch.arange(4.0))
    check_dynamo(explanation, slope, torch.arange(4.0))
    assert explanation.source("loss").lines[1].operations == {"A": 2}
    # What switches differentiation on and off carries no line of its own in the graph.
    on_the_line = explanation.source("slope").lines[1].operations["A"]
    (program,) = explanation.programs
    assert on_the_line > 3
    assert on_the_line + program.without_line["A"] == program.operations["A"]


def test_a_dynamic_shape_is_a_symbol_of_the_graph() -> None:
    def halved(x):
        return x / x.shape[0]  # -> A1

    (fixed,) = explain(halved, torch.ones(4)).programs
    explanation = explain(torch.compile(halved, dynamic=True), torch.ones(4))
    check_comments(explanation)
    (dynamic,) = explanation.programs
    assert "/ 4" in fixed.text
    assert "/ 4" not in dynamic.text


def test_a_program_s_text_holds_the_branches_and_not_what_frees_operands():
    def choose(flag, x):
        return torch.cond(flag, torch.sin, lambda x: x * x, (x,))

    text = explain(choose, torch.tensor(True), torch.ones(2)).programs[0].text
    assert "# cond_true_0\ndef forward" in text
    assert "torch.sin(" in text
    assert "= None" not in text
