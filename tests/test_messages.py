"""An error that is meant to come: printed where it comes, a failure where it does not."""

import time
from pathlib import Path

import pytest

import jaxvstorch
from jaxvstorch import MissingFrameworkError, expect_error
from jaxvstorch._messages import tidy


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
        pytest.raises(AssertionError, match="ValueError was expected here, but nothing was raised"),
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


@pytest.mark.parametrize(
    "error", [(ValueError, TypeError), 3, "ValueError", None, int, ValueError("x")], ids=repr
)
def test_what_is_no_class_of_errors_is_refused_before_the_block_runs(error) -> None:
    with (
        pytest.raises(TypeError, match="error must be one class of errors, such as ValueError"),
        expect_error(error),
    ):
        raise AssertionError("the block ran")


def test_lines_that_cannot_be_counted_are_refused() -> None:
    with (
        pytest.raises(ValueError, match="lines must not be negative"),
        expect_error(ValueError, -1),
    ):
        pass
    with pytest.raises(TypeError, match="a whole number"), expect_error(ValueError, lines=2.5):
        pass


def test_a_long_message_without_spaces_takes_no_time_to_speak_of() -> None:
    """The time grew with the square of its length: this took some 200 seconds."""
    start = time.process_time()
    assert len(tidy("a" * 400_000)) == 400_000
    assert time.process_time() - start < 20


def test_the_file_of_a_cell_is_called_a_cell() -> None:
    assert tidy("f at /tmp/ipykernel_12/345.py:2 is") == "f at <cell>:2 is"
    assert tidy("x  # ipykernel_12/345.py:2 in f") == "x  # <cell>:2 in f"
    assert tidy('File "/tmp/ipykernel_12/345.py", line 2') == 'File "<cell>", line 2'


def test_folders_of_packages_are_left_out() -> None:
    root = Path(jaxvstorch.__file__).parents[1]
    assert tidy(f"in {root}/.venv/site-packages/jax/core.py and") == "in jax/core.py and"
    assert tidy(f'File "{root}/jaxvstorch/_command/cli.py"') == 'File "jaxvstorch/_command/cli.py"'
    assert tidy("a /x/site-packages/y/site-packages/jax b") == "a jax b"
