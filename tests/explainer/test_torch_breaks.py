"""Graph breaks of PyTorch: where they are, their reasons and their cures."""

import time

import pytest
from cases import X, cases

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

case, test_marks = cases("torch")


@case(X)
def branches_on_a_value(x):
    y = x * 2  # -> A1
    if y.sum() > 0:  # -> python, A2 ! break
        return y + 1  # -> B1
    return y - 1  # -> not reached


@case(X)
def asks_for_a_number(x):
    y = x * 2  # -> A1
    n = y.sum().item()  # -> python, A1 ! break
    return y + n  # -> B1


@case(X)
def prints_between(x):
    y = x + 1  # -> A1
    print("here")  # -> python ! break
    return y * 2  # -> B1


@torch.compiler.disable
def not_compiled(x):
    return torch.cos(x)  # -> python ! break


@case(X)
def calls_a_disabled_one(x):
    y = torch.sin(x)  # -> A1
    z = not_compiled(y)  # -> python ! break
    return z + y  # -> B1


def prints_inside(x):
    x = x + 1  # -> B1
    print("inside")  # -> python ! break
    return x * 2  # -> C1


@case(X)
def calls_one_that_breaks(x):
    y = x * 3  # -> A1
    z = prints_inside(y)  # -> python ! break
    return z - y  # -> D1


@case(X)
def reads_the_clock(x):
    now = time.perf_counter()  # -> python ! break
    return x + now  # -> A1


@pytest.mark.parametrize(
    ("function", "words", "cure", "page"),
    [
        (prints_between, "print", "torch._higher_order_ops.print", "tracing"),
        (branches_on_a_value, "tensor's value", "torch.cond", "branching"),
        (asks_for_a_number, ".item()", "Keep the value in a tensor", "branching"),
    ],
)
def test_a_break_is_told_with_its_reason_and_cure(function, words, cure, page) -> None:
    (finding,) = explain(function, torch.arange(4.0)).found("break")
    assert words in finding.what
    assert cure in finding.cure
    assert finding.page == page


def test_a_break_under_fullgraph_is_an_error() -> None:
    explanation = explain(torch.compile(prints_between, fullgraph=True), torch.arange(4.0))
    (finding,) = explanation.found("failed")
    assert explanation.programs == ()
    assert "print" in finding.what
    assert "torch._higher_order_ops.print" in finding.cure
    assert finding.line == explanation.sources[0].lines[3].number
