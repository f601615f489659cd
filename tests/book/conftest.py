"""What tests of the book share: where it is, and where it was built."""

import sys
from pathlib import Path

import pytest
from pages import BOOK

sys.path.insert(0, str(BOOK))


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of the tests that `nox -s tests` leaves to `nox -s browser`."""
    config.addinivalue_line("markers", "built_book: needs the book that `nox -s book` builds")


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The folder of the built book."""
    html = BOOK / "_build" / "html"
    if not (html / "index.html").exists():
        pytest.fail("the book is not built: run `nox -s book` first", pytrace=False)
    return html
