"""Environment variables that keep a framework from working are named, with their cure."""

import os

import pytest

from jaxvstorch._doctor import devices
from jaxvstorch._doctor.devices import Answer, last_words


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("JAX_PLATFORMS", "nonsense", "platforms that this machine has, such as cpu"),
        pytest.param(
            "XLA_FLAGS",
            "--nonsense",
            "flags of this version, each as --name=value",
            marks=pytest.mark.matrix,
        ),
        pytest.param("JAX_ENABLE_X64", "nonsense", "0 or 1", marks=pytest.mark.matrix),
    ],
)
def test_a_variable_of_nonsense_is_named_and_jax_is_not_to_be_installed_again(
    monkeypatch, name, value, cure
) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    monkeypatch.setenv(name, value)
    answers = devices.blame(devices.ask_all(["jax"]), os.environ)
    (found,) = devices.check(answers, False, os.environ)
    assert found.value == "does not work"
    assert found.problem.startswith(f"it does not work with {name}={value}: ")
    assert "nonsense" in found.problem.partition(": ")[2]
    assert found.cure == f"unset {name}, or set {name} to {cure}"


QUESTION = """
import os
assert not (os.environ.get("JAX_A") and os.environ.get("XLA_B")), "both"
assert not os.environ.get("JAX_ALONE"), "alone"
assert not os.environ.get("OTHER"), "none of its own"
print("{}")
"""


@pytest.mark.parametrize(
    ("environ", "failure", "guilty"),
    [
        ({"JAX_ALONE": "1", "JAX_A": "1"}, "AssertionError: alone", ["JAX_ALONE"]),
        ({"JAX_A": "1", "XLA_B": "1"}, "AssertionError: both", ["JAX_A", "XLA_B"]),
        ({"JAX_A": "1", "OTHER": "1"}, "AssertionError: none of its own", []),
        ({"JAX_A": "1"}, None, []),
    ],
    ids=["one of two", "two together", "another", "none"],
)
def test_blamed_is_what_it_works_without(monkeypatch, environ, failure, guilty) -> None:
    monkeypatch.setitem(devices._QUESTIONS, "jax", QUESTION)
    (answer,) = devices.ask_each([("jax", environ)])
    assert answer.failure == failure
    found = devices.blame({"jax": answer}, environ)["jax"]
    assert found == Answer(answer.facts, failure, dict.fromkeys(guilty, "1"))


def test_an_error_of_xla_is_told_apart_from_what_follows_it() -> None:
    said = (
        "E1123 18:45:53.104184    7349 command_line_flags.cc:93] Couldn't interpret value\n"
        "F1123 18:45:53.104190    7349 parse_flags_from_env.cc:220] Check failed\nusage:\n--\n"
    )
    assert last_words(1, said) == "Couldn't interpret value"
    assert last_words(-6, "") == "importing it ended Python with signal 6"
    assert last_words(1, "ValueError: no such log\nthere are\na, b") == ("ValueError: no such log")
