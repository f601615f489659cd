"""What every topic's page promises its reader, looked at in headless Chromium.

A page is loaded once, and looked at wide, on a phone and on paper.
"""

import re

import pytest
from pages import SIZES, TOPICS

pytestmark = pytest.mark.built_book

SCREENS = 11  # of 900 pixels
LINES = 12  # of a cell that is seen
PAPER = (718, 1000)  # A4 without its margins

# The text of each cell that is seen before anything is unfolded.
CELLS = """cells => cells.filter(cell => cell.checkVisibility({contentVisibilityAuto: true}))
    .map(cell => cell.querySelector("pre").textContent.trim())"""
# The drawings above the first section: the figure that each is in, and what it says to those who do
# not see it. The panels of one figure are one picture; a button's icon is none.
PICTURES = """() => {
    const first = document.querySelector(".bd-article h2");
    const above = element => element.compareDocumentPosition(first) & 4;
    const drawn = ".bd-article :is(figure svg, figure img, .cell_output :is(svg, img))";
    const pictures = document.querySelectorAll(drawn);
    const figures = [...document.querySelectorAll("figure")];
    const seen = picture => picture.checkVisibility() && !picture.closest("button");
    return [...pictures].filter(picture => seen(picture) && above(picture)).map(picture => [
        figures.indexOf(picture.closest("figure")),
        picture.getAttribute("aria-label") || picture.alt
            || picture.querySelector(":scope > title")?.textContent || ""]);
}"""
# What is wider than its box: it is cut there, or scrolls sideways.
CUT = """() => [...document.querySelectorAll(".bd-article, .bd-article *")].filter(element => {
    const style = getComputedStyle(element);
    return element.checkVisibility({contentVisibilityAuto: true}) && style.overflowX != "visible"
        && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
}).map(element => `${element.localName}: ${element.textContent.trim().slice(0, 60)}`)"""
SHOWN = "elements => elements.map(e => e.checkVisibility({contentVisibilityAuto: true}))"


@pytest.fixture(scope="module", params=TOPICS)
def loaded(request, chromium, site):
    """A topic's page."""
    context = chromium.new_context(base_url=site, color_scheme="light")
    page = context.new_page()
    page.goto(f"{request.param}.html", wait_until="load")
    yield page
    context.close()


@pytest.fixture
def look(loaded):
    """Shows the page in a window of some size, or on paper."""

    def show(width, height, media="screen"):
        loaded.set_viewport_size({"width": width, "height": height})
        loaded.emulate_media(media=media)
        return loaded

    return show


def test_it_takes_at_most_some_screens(look):
    article = look(*SIZES["wide"]).locator(".bd-article").bounding_box()
    assert article["height"] <= SCREENS * SIZES["wide"][1]


def test_one_picture_carries_its_idea(look):
    pictures = look(*SIZES["wide"]).evaluate(PICTURES)
    alone = [figure for figure, _ in pictures if figure < 0]
    assert len({figure for figure, _ in pictures} - {-1}) + len(alone) == 1
    assert all(says for _, says in pictures)


def test_a_cell_that_is_seen_is_short_and_proves_nothing(look):
    cells = look(*SIZES["wide"]).locator(".cell_input").evaluate_all(CELLS)
    assert cells
    proofs = re.compile(r"^assert |compiler\.reset\(\)", re.MULTILINE)
    assert [cell for cell in cells if proofs.search(cell)] == []
    assert [cell for cell in cells if len(cell.splitlines()) > LINES] == []


def test_on_a_phone_no_line_is_cut(look):
    assert look(*SIZES["phone"]).evaluate(CUT) == []


def test_paper_has_both_halves_and_all_answers_uncut(look):
    page = look(*PAPER, media="print")
    halves = page.locator(".pair > .sd-tab-content").evaluate_all(SHOWN)
    answers = page.locator("details.answer > .folded").evaluate_all(SHOWN)
    assert halves
    assert answers
    assert all([*halves, *answers])
    assert page.evaluate(CUT) == []
