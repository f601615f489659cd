"""What the book makes of a page's cells: columns, folds, promised errors."""

import ast
import builtins
import re
from io import StringIO

import jupytext
import pytest
from docutils import nodes
from extensions import folds, promised_errors
from extensions.notebooks import proves
from pages import BOOK, PAGES
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

HEAD = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n# Title\n\n"


def read(folder, page, mode="off"):
    """A page as Sphinx has read it, and what Sphinx warned of."""
    (folder / "index.md").write_text(HEAD + page, encoding="utf-8")
    names = ("columns", "folds", "promised_errors")
    settings = {
        "extensions": ["myst_nb", "sphinx_design", *(f"extensions.{name}" for name in names)],
        "myst_enable_extensions": ["colon_fence"],
        "source_suffix": {".rst": "restructuredtext"},  # Sphinx would add to its own default
        "nb_execution_mode": mode,
        "suppress_warnings": ["myst-nb.lexer"],  # of cells that did not run
    }
    warnings, out = StringIO(), folder / "_build"
    with docutils_namespace():
        app = Sphinx(folder, None, out, out, "dummy", settings, status=None, warning=warnings)
        app.build()
    return app.env.get_doctree("index"), warnings.getvalue()


def cell(code, *tags):
    return f"```{{code-cell}} ipython3\n:tags: [{', '.join(tags)}]\n{code}\n```\n\n"


def labels(node):
    return [label.astext() for label in node.findall(nodes.rubric)]


def sets(tree):
    return [node for node in tree.findall(nodes.container) if "cells" in node["classes"]]


def test_neighbouring_cells_of_both_frameworks_become_tabs(tmp_path):
    page = (
        cell("1", "jax") + cell("2", "torch") + "Text.\n\n" + cell("3", "torch") + cell("4", "jax")
    )
    tree, warnings = read(tmp_path, page)
    assert warnings == ""
    assert [labels(tabs) for tabs in sets(tree)] == [["JAX", "PyTorch"]] * 2
    last = sets(tree)[1].astext()
    assert last.index("4") < last.index("3")


def test_several_cells_of_one_framework_share_a_tab(tmp_path):
    tree, _ = read(tmp_path, cell("1", "jax") + cell("2", "jax") + cell("3", "torch"))
    (tabs,) = sets(tree)
    assert labels(tabs) == ["JAX", "PyTorch"]
    assert tabs.astext().index("2") < tabs.astext().index("PyTorch")


def test_a_cell_of_no_framework_stays_alone(tmp_path):
    tree, _ = read(tmp_path, cell("1"))
    assert sets(tree) == []


def test_what_proves_a_sentence_folds_behind_it(tmp_path):
    tree, _ = read(tmp_path, "A sentence.\n\n" + cell("assert True", "checked") + cell("2"))
    (claim,) = (node for node in tree.findall(nodes.container) if "claim" in node["classes"])
    paragraph, fold = claim.children
    assert paragraph.astext() == "A sentence."
    assert isinstance(fold, folds.fold)
    assert "assert True" in fold.astext()
    assert "2" not in claim.astext()


def test_a_checked_cell_after_a_cell_folds_alone(tmp_path):
    tree, _ = read(tmp_path, cell("1") + cell("assert True", "checked"))
    (fold,) = tree.findall(folds.fold)
    assert "claim" not in fold.parent.get("classes", [])


def test_cells_of_an_answer_join_it(tmp_path):
    page = ":::{answer}\nBoth.\n:::\n\n" + cell("1", "answer") + cell("2", "answer") + cell("3")
    tree, warnings = read(tmp_path, page)
    (fold,) = tree.findall(folds.fold)
    assert warnings == ""
    assert fold.astext().split() == ["Both.", "1", "2"]


def test_a_cell_of_an_answer_without_one_is_a_warning(tmp_path):
    _, warnings = read(tmp_path, "Text.\n\n" + cell("1", "answer"))
    assert "a cell tagged `answer` follows its {answer}" in warnings


RAISE = "def f(x):\n    raise {}\n\nf(1)"


@pytest.mark.parametrize(
    ("code", "tags", "complaint"),
    [
        (RAISE.format("TypeError('no\\nmore')"), ["TypeError"], ""),
        (RAISE.format("TypeError('no')"), ["ValueError"], "ValueError was promised, and not: Type"),
        (RAISE.format("TypeError('no')"), [], "one error is promised by its name, not []"),
        ("1", ["TypeError"], "TypeError was promised, and nothing was raised"),
    ],
    ids=["promised", "another", "no-name", "none"],
)
def test_a_promised_error_shows_its_message_alone(tmp_path, code, tags, complaint):
    tree, warnings = read(tmp_path, cell(code, "raises-exception", *tags), mode="force")
    if complaint:
        assert complaint in warnings
        return
    assert warnings == ""
    assert tree.astext().endswith("TypeError: no\nmore")
    assert "Traceback" not in tree.astext()


def test_a_page_that_did_not_run_promises_nothing(tmp_path):
    _, warnings = read(tmp_path, cell("1", "raises-exception", "TypeError"))
    assert warnings == ""


def test_a_long_message_is_cut_at_a_line():
    message = "\n".join(["x" * 200] * 5)
    kept = promised_errors.shown(message).splitlines()
    assert kept == ["x" * 200] * 2 + ["… (3 more lines)"]
    assert promised_errors.shown("x" * 1000) == "x" * 1000


def test_an_error_without_a_message_is_its_name():
    assert promised_errors.message_alone("AssertionError", "") == "AssertionError"


@pytest.mark.parametrize("page", PAGES)
def test_what_a_reader_runs_needs_no_cell_that_only_proves(page):
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    body = text.split("---\n", 2)[2] if "kernelspec:" in text else ""
    read = jupytext.reads(body, fmt="md:myst").cells
    shown = [cell for cell in read if cell.cell_type == "code" and not proves(cell)]
    code = "\n".join(re.sub(r"(?m)^\s*%.*", "", c.source) for c in shown if "%%" not in c.source)
    everything = list(ast.walk(ast.parse(code)))
    names = [node for node in everything if isinstance(node, ast.Name)]
    known = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    for node in everything:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                known.add(name)
            case ast.alias(name=name, asname=short):
                known.add(short or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                known.add(name)
    assert {node.id for node in names} - known - {"display"} == set()
