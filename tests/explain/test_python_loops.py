"""Python's loops and comprehensions, in both frameworks: which are unrolled, and reported."""

import pytest
from commented_functions import X, cases, given

from jaxvstorch import explain
from jaxvstorch._frameworks import FRAMEWORKS

case, test_marks = cases("jax", "torch")


@case(X)
def for_loop(x):
    for k in range(5):  # -> traced ! unrolled
        x = x * x + k  # -> A10 x5
    return x  # -> traced


@case(X)
def while_loop(x):
    k = 0  # -> traced
    while k < 3:  # -> traced ! unrolled
        x = x * 2  # -> A3 x3
        k += 1  # -> traced x3
    return x  # -> traced


@case(X)
def loop_once(x):
    for _ in range(1):  # -> traced
        x = x + 1  # -> A1
    return x  # -> traced


@case(X)
def loop_of_python_only(x):
    total = 0  # -> traced
    for k in range(4):  # -> traced
        total += k  # -> traced x4
    return x + total  # -> A1


@case(X)
def loop_left_early(x):
    for k in range(10):  # -> traced ! unrolled
        if k == 3:  # -> traced x4
            break  # -> traced
        x = x + k  # -> A3 x3
    else:
        x = x * 100  # -> not reached
    return x  # -> traced


@case(X)
def branch_in_a_loop(x):
    for k in range(3):  # -> traced ! unrolled
        x = x + 1  # -> A3 x3
        if k > 5:  # -> traced x3
            x = x * 2  # -> not reached
    return x  # -> traced


@case(X)
def loops_within_loops(x):
    for _ in range(2):  # -> traced ! unrolled
        for k in range(3):  # -> traced ! unrolled
            x = x + k  # -> A6 x6
    return x  # -> traced


@case(X)
def loop_of_turns_left_out(x):
    for k in range(4):  # -> traced ! unrolled
        if k % 2:  # -> traced x4
            continue  # -> traced x2
        x = x + k  # -> A2 x2
    return x  # -> traced


@case(X)
def loop_once_around_a_loop(x):
    for _ in range(1):  # -> traced
        y = x * 2  # -> A1
        for k in range(3):  # -> traced ! unrolled
            y = y + k  # -> A3 x3
    return y  # -> traced


@case(X)
def loop_with_a_loop_inside(x):
    for _ in range(2):  # -> traced ! unrolled
        x = x + 1  # -> A2 x2
        for k in range(3):  # -> traced ! unrolled
            x = x * k  # -> A6 x6
    return x  # -> traced


@pytest.mark.parametrize("framework", FRAMEWORKS, indirect=True)
def test_a_loop_around_another_counts_its_own_turns(framework) -> None:
    sentences = [
        [finding.what for finding in explain(function, *given(framework, X)).found("unrolled")]
        for function in (loop_with_a_loop_inside, loops_within_loops)
    ]
    inner = "This loop was unrolled: its body was traced 6 times."
    assert sentences == [
        ["This loop was unrolled: its body was traced 2 times.", inner],
        ["This loop was unrolled, with the loop inside it.", inner],
    ]


# A comprehension is unrolled too, and not reported: the book's page about explain says so.


@case(X)
def comprehension_of_a_list(x):
    parts = [x * k for k in range(3)]  # -> A3
    return parts[1] + parts[2]  # -> A1


@case(X)
def comprehension_of_a_dict(x):
    by_name = {  # -> A2
        name: x + k for k, name in enumerate("ab")
    }
    return by_name["a"] + by_name["b"]  # -> A1


@case(X)
def comprehension_of_a_set(x):
    ranks = {(x * k).ndim for k in range(3)}  # -> A3
    return x + len(ranks)  # -> A1


@case(X)
def comprehension_of_a_generator(x):
    return sum(x * k for k in range(3))  # -> A6


in_a_list = lambda x: sum([x * k for k in range(3)])  # noqa: E731


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_comprehension_on_the_first_line_is_no_run_of_the_function(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    (source,) = explain(in_a_list, *given(framework, X)).sources
    assert source.runs == 1
