"""Functions that the explained one calls, in both frameworks."""

import functools

from commented_functions import X, cases, check_comments

from jaxvstorch import explain

case, test_marks = cases("jax", "torch")


def helper(x):
    y = x * x + 1  # -> A4
    return y * 2  # -> A2


@case(X)
def calls_twice(x):
    a = helper(x)  # -> A3
    b = helper(x + 1)  # -> A4
    return a + b  # -> A1


def down(x, n):
    if n == 0:  # -> traced
        return x  # -> traced
    return down(x * 2, n - 1)  # -> A3


@case(X)
def calls_a_recursion(x):
    return down(x, 3)  # -> A3


def pieces(x):
    for k in range(3):  # -> traced ! unrolled
        yield x * k  # -> A3 x3


@case(X)
def uses_a_generator(x):
    total = 0  # -> traced
    for piece in pieces(x):  # -> A3 ! unrolled
        total = total + piece  # -> A3 x3
    return total  # -> traced


@case(X)
def makes_a_class(x):
    class Shifted:  # -> A1 | python ! break
        start = x + 1  # -> A1 | python

        def times(self, factor):  # -> traced | python
            return self.start * factor  # -> A1

    return Shifted().times(2)  # -> A1


def raises(x):
    x = x + 1  # -> traced | python
    raise ValueError("not today")  # -> failed ! failed


@case(X)
def calls_what_raises(x):
    y = raises(x)  # -> traced | python ! break
    return y  # -> not reached


def announced(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args) + 1  # -> A2

    return around


@announced
def decorated(x):
    return x * 2  # -> A1


def test_a_decorated_function_is_shown_with_its_decorator(framework, x) -> None:
    explanation = explain(decorated, x)
    check_comments(explanation)
    assert {source.name for source in explanation.sources} == {"decorated", "announced.around"}
    assert explanation.sources[0].name == "decorated"


def test_how_often_a_function_was_traced(framework, x) -> None:
    explanation = explain(calls_twice, x)
    assert [source.runs for source in explanation.sources] == [1, 2]
    assert [source.runs for source in explain(calls_a_recursion, x).sources] == [1, 4]


def test_an_error_of_a_called_function(framework, x) -> None:
    explanation = explain(calls_what_raises, x)
    (finding,) = explanation.found("failed")
    assert (finding.what, finding.cure, finding.page) == ("ValueError: not today", "", "")
    source = explanation.source("raises")
    assert [line.mark for line in source.lines if line.number == finding.line] == ["failed"]
    assert source.lines[2].number == finding.line
