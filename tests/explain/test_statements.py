"""Statement by statement, in both frameworks: operations, and what these arguments decide."""

from contextlib import nullcontext

from commented_functions import X, cases

case, test_marks = cases("jax", "torch")


@case(X)
def operations(x):
    y = x * x + 1  # -> A2
    z = y  # -> traced
    # nothing here

    return z * 2  # -> A1


@case(X)
def statements_over_lines(x):
    """A docstring is no statement."""
    y = (  # -> A3
        x * x + 1
    ) * 2
    return y.reshape(  # -> A1
        2,
        2,
    )


@case(X)
def two_on_a_line(x):
    y = x + 1; return y * 2  # -> A2  # fmt: skip  # noqa: E702


@case(X)
def unpacking(x):
    a, *rest = x[0], x[1], x[2]  # -> A6 | A2  # Dynamo drops what is not used
    return a + rest[1]  # -> A1


@case(X, True, static="flag")
def static_branch(x, flag):
    if flag:  # -> traced
        return x + 1  # -> A1
    elif x.ndim == 2:  # -> not reached
        return x + 2  # -> not reached
    else:
        return x + 3  # -> not reached


@case(X)
def shape_decides(x):
    if x.shape[0] > 10:  # -> traced
        x = x[:10]  # -> not reached
    y = x.sum() if x.ndim == 2 else x  # -> traced
    return y * 2  # -> A1


@case(X)
def early_return(x):
    if x.ndim == 1:  # -> traced
        return x * 2  # -> A1
    x = x + 1  # -> not reached
    return x  # -> not reached


@case(X, "double", static="how")
def matched(x, how):
    match how:  # -> traced
        case "half":  # -> traced
            return x / 2  # -> not reached
        case "double":  # -> traced
            return x * 2  # -> A1
        case _:  # -> not reached
            return x  # -> not reached


@case(X)
def caught(x):
    try:  # -> traced
        y = {}["no such key"]  # -> traced
        y = y + 1  # -> not reached
    except KeyError:  # -> traced
        y = x + 2  # -> A1
    else:
        y = y + 3  # -> not reached
    finally:
        z = y * 4  # -> A1
    return z  # -> traced


@case(X)
def caught_of_an_array(x):
    try:  # -> traced
        y = x.no_such_thing  # -> traced
        y = y + 1  # -> not reached
    except AttributeError:  # -> traced
        y = x + 2  # -> A1
    return y  # -> traced


@case(X)
def within(x):
    with nullcontext():  # -> traced
        y = x * x  # -> A1
    return y + 1  # -> A1


@case(X)
def asserted(x):
    assert x.ndim == 1, "one axis"  # -> traced
    return -x  # -> A1
