"""An error that is meant to come: printed where it comes, a failure where it does not."""

import pytest

from jaxvstorch import MissingFrameworkError, expect_error


class EmptyError(Exception):
    """An error that says nothing."""


def test_the_error_is_printed(capsys) -> None:
    with expect_error(ZeroDivisionError):
        1 / 0  # noqa: B018
    assert capsys.readouterr().out == "ZeroDivisionError: division by zero\n"


def test_a_subclass_counts_and_is_named(capsys) -> None:
    with expect_error(ArithmeticError):
        1 / 0  # noqa: B018
    assert capsys.readouterr().out.startswith("ZeroDivisionError: ")


def test_no_error_is_a_failure() -> None:
    with (
        pytest.raises(AssertionError, match="ValueError was expected here, and nothing was raised"),
        expect_error(ValueError),
    ):
        pass


def test_another_error_passes_through() -> None:
    with pytest.raises(ZeroDivisionError), expect_error(ValueError):
        1 / 0  # noqa: B018


def test_a_long_message_is_cut_and_says_so(capsys) -> None:
    with expect_error(ValueError, lines=2):
        raise ValueError("\none\ntwo:\nthree\nfour\n")
    assert capsys.readouterr().out == "ValueError: one\ntwo:\n… (2 more lines)\n"


def test_an_error_without_a_message(capsys) -> None:
    with expect_error(EmptyError):
        raise EmptyError
    assert capsys.readouterr().out == "EmptyError\n"


def test_a_missing_framework_is_a_missing_module() -> None:
    assert issubclass(MissingFrameworkError, ModuleNotFoundError)
