"""Reports the pages whose cells failed, after all other pages are built.

MyST-NB warns of a failed page when it reads it, somewhere in the log. Here the last lines of a
build name each failed page, its heading, its cell and the error. The next build runs these pages
again.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
COLOURS = re.compile(r"\x1b\[[\d;]*m")
FENCED = re.compile(r"^ *(```+|~~~+|:::+).*?^ *\1", re.MULTILINE | re.DOTALL)
RAISING = re.compile(r"Cell In\[\d+\], line (\d+)")  # the line of a cell that raised
# IPython prints a group of exceptions, and records no error.
GROUP = re.compile(r"^  \| (\w[\w.]*: .+)$", re.MULTILINE)
UNRAISED = re.compile(
    r"^nbclient\.exceptions\.(?:CellTimeout|DeadKernel)Error: (.+)$", re.MULTILINE
)


def failed_pages(env: BuildEnvironment) -> list[str]:
    """The pages whose cells did not all run."""
    pages = getattr(env, "nb_metadata", {}).items()  # MyST-NB makes it with the first page
    return sorted(
        page for page, data in pages if not data.get("exec_data", {}).get("succeeded", True)
    )


def run_again(app: Sphinx, env: BuildEnvironment, *_: set[str]) -> list[str]:
    """Pages that failed in the last build are read again, although nothing in them changed."""
    return [page for page in failed_pages(env) if page in env.found_docs]


def report(app: Sphinx, error: Exception | None) -> None:
    """Name every failed page, and the cell and the error that failed it."""
    for page in failed_pages(app.env):
        # MyST-NB writes each page as a notebook, where `extensions.kernels` marked the cell.
        written = Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb"
        if not written.exists():  # the build ended before it read this page again
            continue
        notebook = nbformat.read(written, as_version=4)
        traceback = app.env.nb_metadata[page]["exec_data"]["traceback"]  # type: ignore[attr-defined]
        logger.error(describe(page, notebook, traceback))  # shown by `sphinx-build -q` too


def describe(page: str, notebook: NotebookNode, traceback: str) -> str:
    """One failed page: its heading, the line that failed, and why."""
    failed = [number for number, c in enumerate(notebook.cells) if c.metadata.get("failed")]
    number, cell = failed[0], notebook.cells[failed[0]]
    before = "\n".join(c.source for c in notebook.cells[:number] if c.cell_type == "markdown")
    heading = (HEADING.findall(FENCED.sub("", before)) or [page])[-1]
    traceback = COLOURS.sub("", traceback)
    line = RAISING.search(traceback)  # none if Python ended or was too slow
    lines = cell.source.splitlines()
    code = lines[int(line[1]) - 1].strip() if line else lines[0] + " …" * (len(lines) > 1)
    # A cell that took too long was interrupted, and may have raised an error then.
    causes = [f"{o.ename}: {o.evalue}" for o in cell.outputs if o.output_type == "error"]
    printed = "".join(o.text for o in cell.outputs if o.output_type == "stream")
    causes = GROUP.findall(printed)[:1] + causes + UNRAISED.findall(traceback) or ["no error shown"]
    cause = causes[-1].partition("\n")[0]
    location = f"{page}.md, cell at line {notebook.metadata['source_map'][number]}, “{heading}”"
    return f"failed: {location}: `{code}`: {cause}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the report, and the reading of failed pages again."""
    app.connect("env-get-outdated", run_again)
    app.connect("build-finished", report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
