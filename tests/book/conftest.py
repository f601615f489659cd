"""What tests of the book share: where it is, where it was built, and a browser that shows it."""

import functools
import gzip
import http.server
import io
import shutil
import sys
import threading
from pathlib import Path

import pytest
from pages import BOOK, PREFIX

sys.path.insert(0, str(BOOK))

QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


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


COMPRESSED = (".css", ".html", ".js", ".json", ".svg", ".txt")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the built book under its prefix, in silence, and text compressed, as hosts do."""

    def send_head(self):
        """Send the headers; the file to send after them, or None."""
        path = Path(self.translate_path(self.path.partition("?")[0]))
        if path.suffix not in COMPRESSED or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes(), compresslevel=6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def translate_path(self, path):
        """The file of an address."""
        return super().translate_path(path.removeprefix(PREFIX))

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def site(built_book):
    """The address of the served book."""
    handler = functools.partial(Handler, directory=str(built_book))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        pytest.fail("chromium is not installed (Debian: apt-get install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()
