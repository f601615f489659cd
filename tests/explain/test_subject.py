"""Arguments by the names of the function's parameters."""

import math

import pytest

from jaxvstorch._explain.subject import by_name


def scaled(x: "list[float]", *rest: float, factor: float = 1.0) -> float:
    return x[0] * factor


class Scale:
    """Has a method."""

    def times(self, x: float) -> float:
        """As much."""
        return x


def test_arguments_have_their_names() -> None:
    scale = Scale()
    assert by_name(scaled, ([1.0], 2.0), {"factor": 3.0}) == {
        "x": [1.0],
        "rest": (2.0,),
        "factor": 3.0,
    }
    assert by_name(scale.times, (1.0,), {}) == {"self": scale, "x": 1.0}


def test_what_tells_no_signature_tells_no_names() -> None:
    assert by_name(math.hypot, (3.0, 4.0), {}) == {}


def test_the_message_on_arguments_that_do_not_fit_has_no_annotations() -> None:
    message = r"^scaled\(x, \*rest, factor=1\.0\) does not take these arguments: missing a required"
    with pytest.raises(TypeError, match=message):
        by_name(scaled, (), {})
