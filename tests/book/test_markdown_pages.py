"""The pages as Markdown, and ``llms.txt``, which lists them for programs that read."""

import re

import nbformat.v4 as v4
import pytest
from extensions.markdown_pages import NO_MARKDOWN, cells_as_markdown
from pages import BOOK, PAGES

from jaxvstorch._errors.entry import entries

SITE = "https://jaxvstorch.github.io/jaxvstorch/"
LISTED = [page for page in PAGES if page not in NO_MARKDOWN]


def code(source, *outputs, tags=()):
    return v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)})


def printed(text):
    return v4.new_output("stream", name="stdout", text=text)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (v4.new_markdown_cell("Text."), "Text."),
        (code("x"), "```python\nx\n```"),
        (code("x", printed("1\n")), "```python\nx\n```\n\n```text\n1\n```"),
        (code("x", printed("\x1b[31m1\x1b[0m\n"), tags=["remove-input"]), "```text\n1\n```"),
        (code("x", printed("```")), "```python\nx\n```\n\n````text\n```\n````"),
        (code("assert x", tags=["checked"]), ""),
        (
            code("x", v4.new_output("error", ename="E", evalue="why", traceback=[])),
            "```python\nx\n```\n\n```text\nE: why\n```",
        ),
        (
            code(
                "x", v4.new_output("display_data", {"text/markdown": "| a |", "text/plain": "<>"})
            ),
            "```python\nx\n```\n\n| a |",
        ),
        (
            code("x", v4.new_output("display_data", {"image/svg+xml": "<svg>"})),
            "```python\nx\n```",
        ),
    ],
)
def test_a_cell_becomes_markdown(cell, text):
    assert cells_as_markdown(v4.new_notebook(cells=[cell])) == f"{text}\n"


@pytest.mark.built_book
@pytest.mark.parametrize("page", LISTED)
def test_a_page_lies_beside_its_html_without_myst_and_without_proofs(built_book, page):
    text = (built_book / f"{page}.md").read_text(encoding="utf-8")
    title = re.search(r"^# (.*)$", (BOOK / f"{page}.md").read_text("utf-8"), re.MULTILINE)[1]
    assert text.startswith(f"# {title}\n")
    prose = re.sub(r"^(`{3,})(python|text|\w*)\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\{[a-z:+]+\}`|^[`:]{3,}\{.*|^\([\w-]+\)=", prose, re.MULTILINE) == []
    assert "\x1b" not in text
    html = (built_book / f"{page}.html").read_text(encoding="utf-8")
    name = page.rpartition("/")[2]
    assert f'<link rel="alternate" type="text/markdown" href="{name}.md"' in html


@pytest.mark.built_book
def test_a_link_into_the_book_leads_to_a_file(built_book):
    for page in LISTED:
        text = (built_book / f"{page}.md").read_text(encoding="utf-8")
        for target in re.findall(rf"\]\({SITE}([^)#]*)", text):
            assert not target or (built_book / target).exists(), (page, target)


@pytest.mark.built_book
def test_the_list_names_every_page_once_and_says_what_it_is_about(built_book):
    text = (built_book / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# jaxvstorch\n\n> ")
    pages = re.findall(rf"^- \[(.+)\]\({SITE}(.+)\.md\): (.+)$", text, re.MULTILINE)
    assert sorted(page for _, page, _ in pages) == sorted(LISTED)
    errors = re.findall(rf"^- \[.+\]\({SITE}errors/(.+)\.md\)$", text, re.MULTILINE)
    assert sorted(errors) == sorted(entries())
    of_names = 1  # one line leads to all of them
    assert len(pages) + len(errors) + of_names == len(re.findall("^- ", text, re.MULTILINE))
