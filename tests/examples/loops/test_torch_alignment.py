"""The compiled gradient of ``torch.while_loop``: where an assertion on alignment refuses it.

``backward`` begins in the memory of the last state, which is the last row of all states, if it
reads it, and asserts that what it returns begins at a multiple of 16 bytes.
"""

import numpy as np
import pytest
from needs import needs_compiler


def looped(torch, after, num_steps: int):
    """Cosines in a loop of the program, and what follows it."""

    def function(x):
        carry = torch.tensor(0), x
        return after(
            torch.while_loop(lambda i, _: i < num_steps, lambda i, x: (i + 1, x.cos()), carry)[1]
        )

    return function


def gradient(torch, function, x, weights):
    inputs = x.clone().requires_grad_()
    (function(inputs) * weights).sum().backward()
    return inputs.grad


def square(x):
    return x * x


def affine(x):
    return 0.9 * x + 0.1


@needs_compiler
@pytest.mark.parametrize("size", [3, 7])
def test_refused_where_what_follows_reads_a_last_state_at_another_offset(torch, size) -> None:
    function = torch.compile(looped(torch, square, 2), fullgraph=True)
    x = torch.linspace(0.25, 1.5, size)
    with pytest.raises(AssertionError, match=r"16 bytes aligned. Fail due to storage_offset"):
        gradient(torch, function, x, torch.linspace(1, 2, size))


@needs_compiler
@pytest.mark.parametrize(
    ("after", "size", "num_steps"),
    [
        pytest.param(lambda x: x, 7, 2, id="nothing follows"),
        pytest.param(affine, 7, 2, id="the derivative of what follows does not read the state"),
        pytest.param(square, 8, 2, id="a state of 32 bytes"),
        pytest.param(square, 7, 1, id="the first row"),
        pytest.param(square, 7, 5, id="the fifth row, at 112 bytes"),
    ],
)
def test_right_in_other_cases(torch, after, size, num_steps) -> None:
    function = looped(torch, after, num_steps)
    x, weights = torch.linspace(0.25, 1.5, size), torch.linspace(1, 2, size)
    found = gradient(torch, torch.compile(function, fullgraph=True), x, weights)
    np.testing.assert_allclose(found, gradient(torch, function, x, weights), rtol=1e-5)
