"""The built book in headless Chromium.

The front page and one with most kinds of elements are looked at light and dark, wide and
phone-sized. They share their style sheets with all others, which are looked at once: on a phone,
where there is least room.
"""

import itertools

import pytest
from pages import BOOK, PAGES, SIZES

pytestmark = pytest.mark.built_book

MODES = ("light", "dark")
MADE = ("genindex", "search", "404")  # by Sphinx, from no page of the book's own
IN_ALL_LOOKS = ("index", "topics/branching")
LOOKS = [
    (name, mode, size)
    for name, mode, size in itertools.product([*PAGES, *MADE], MODES, SIZES)
    if name in IN_ALL_LOOKS or (mode, size) == ("light", "phone")
]


@pytest.fixture
def size():
    return "wide"


@pytest.fixture
def mode():
    return "light"


@pytest.fixture
def complaints():
    """What the browser complained of: console errors, exceptions, requests lost or sent abroad."""
    return []


@pytest.fixture
def page(chromium, site, size, mode, complaints):
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    context = chromium.new_context(base_url=site, viewport=viewport, color_scheme=mode)
    page = context.new_page()
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith(site) else complaints.append(r.url))
    page.on("response", lambda r: complaints.append(r.url) if r.status >= 400 else None)
    yield page
    context.close()


# Of the page and all that it asked for.
BYTES = (
    """() => performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize || 0), 0)"""
)


@pytest.mark.parametrize(("name", "mode", "size"), LOOKS)
def test_a_page_is_sound(page, name, size, mode, complaints):
    from axe_playwright_python.sync_playwright import Axe

    page.goto(f"{name}.html", wait_until="load")
    page.screenshot(
        path=BOOK / "_build/screenshots" / f"{name.replace('/', '-')}-{mode}-{size}.png",
        full_page=True,
    )
    assert page.locator("html").get_attribute("data-theme") == mode
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert page.evaluate(BYTES) < 1_000_000
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    violations = [
        (violation["id"], node["html"], node["failureSummary"])
        for violation in violations
        for node in violation["nodes"]
    ]
    assert violations == []
    assert complaints == []


def chosen(page):
    """The framework that each synced set of tabs shows; a set of one tab has no choice."""
    labels = page.locator("input:checked + label[data-sync-id]:not(:only-of-type)")
    return [label.get_attribute("data-sync-id") for label in labels.all()]


@pytest.mark.parametrize("size", ["phone"])
def test_tabs_switch_together_and_stay_switched(page, size):
    page.goto("topics/branching.html")
    assert set(chosen(page)) == {"jax"}
    assert len(chosen(page)) > 1
    page.locator("label[data-sync-id=torch]").first.click()
    assert set(chosen(page)) == {"torch"}
    page.goto("how-to-read.html")
    assert set(chosen(page)) == {"torch"}
    panels = page.locator("label[data-sync-id=torch] + .sd-tab-content")
    assert all(panel.is_visible() for panel in panels.all())


@pytest.mark.parametrize("size", SIZES)
def test_search_finds_a_word(page, complaints):
    page.goto("index.html")
    page.locator(".search-button-field:visible, .search-button:visible").first.click()
    page.locator("#pst-search-dialog input[type=search]").fill("recompilation")
    page.keyboard.press("Enter")
    results = page.locator("#search-results ul.search li a")
    results.first.wait_for()
    assert any("glossary" in link.get_attribute("href") for link in results.all())
    assert complaints == []


def bottom(locator):
    """How far down the page an element reaches."""
    box = locator.bounding_box()
    return box["y"] + box["height"]


def test_the_front_page_says_above_the_fold_why_to_care(page):
    page.goto("index.html")
    row = page.locator("table.both tr", has_text="if norm > limit")
    source, jax, torch = (cell.bounding_box() for cell in row.locator("> *").all())
    assert source["y"] == jax["y"] == torch["y"]
    assert source["x"] + source["width"] <= jax["x"]
    assert jax["x"] + jax["width"] <= torch["x"]
    assert "TracerBoolConversionError" in row.inner_text()
    assert "graph break" in row.inner_text()
    cards = page.locator(".findings .sd-card, .doors .sd-card")
    assert cards.count() == 8
    assert max(bottom(card) for card in cards.all()) <= SIZES["wide"][1]


@pytest.mark.parametrize("size", ["phone"])
def test_on_a_phone_the_front_page_has_both_columns_below_each_line(page, size):
    page.goto("index.html")
    for row in page.locator("table.both tbody tr:not(.bare)").all():
        source, jax, torch = (cell.bounding_box() for cell in row.locator("> *").all())
        assert jax["y"] == torch["y"] == source["y"] + source["height"]
        assert torch["x"] + torch["width"] <= SIZES[size][0]
    assert bottom(page.locator("table.both")) <= SIZES[size][1]
    cut = "[...document.querySelectorAll('table.both *')].filter(e => e.scrollWidth > e.clientWidth"
    shown = " && e.clientWidth > 1 && getComputedStyle(e).display !== 'inline').length"
    assert page.evaluate(cut + shown) == 0


def test_each_finding_and_each_door_of_the_front_page_leads_somewhere(page, complaints):
    page.goto("index.html")
    links = page.locator(".findings a.sd-stretched-link, .doors a.sd-stretched-link")
    targets = [link.get_attribute("href") for link in links.all()]
    assert len(set(targets)) == 8
    for target in targets:
        page.goto(target)
        anchor = target.partition("#")[2]
        assert not anchor or page.locator(f"[id='{anchor}']").count() == 1
    assert complaints == []


def test_a_cell_of_the_front_page_opens_to_its_reason_and_cure(page):
    page.goto("index.html")
    finding = page.locator("table.both details", has_text="TracerBoolConversionError")
    assert not finding.locator(".cure").is_visible()
    finding.locator("summary").click()
    assert finding.locator(".cure").is_visible()
    page.emulate_media(media="print")
    assert all(cure.is_visible() for cure in page.locator("table.both .cure").all())


@pytest.mark.parametrize("mode", ["dark"])
def test_a_dark_page_is_printed_light_and_stays_dark(page, mode):
    page.goto("index.html")
    mode_now = "document.documentElement.dataset.theme"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {mode_now} }})")
    page.pdf()
    assert (page.evaluate("window.printed"), page.evaluate(mode_now)) == ("light", "dark")


def test_a_printed_table_may_go_on_on_the_next_sheet(page):
    page.goto("topics/updates.html")
    page.emulate_media(media="print")
    table = page.locator(".bd-article table").first
    assert table.evaluate("table => getComputedStyle(table).breakInside") == "auto"
    before = page.locator(".bd-article p:has(+ .pair)").first
    assert before.evaluate("p => getComputedStyle(p).breakAfter") == "avoid"


BOXES = "figure.bar-panels, .bars, .strips, .strips .lane, .bd-article table"
WIDTHS = """boxes => boxes.filter(box => box.checkVisibility()).map(box => {
    const style = getComputedStyle(box.parentElement);
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    return {
        name: `${box.localName} ${box.getAttribute("class")}: ${box.textContent.slice(0, 40)}`,
        width: Math.max(box.scrollWidth, box.getBoundingClientRect().width),
        room: box.parentElement.clientWidth - padding,
        fills: !box.matches("table, .bars"),  // panels of bars stand beside each other
    };
})"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name", ["reference/results", "reference/results-1", "reference/measuring", "topics/branching"]
)
def test_results_fill_their_box_and_stay_inside(page, name, size):
    page.goto(f"{name}.html")
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    boxes = page.locator(BOXES).evaluate_all(WIDTHS)
    assert [box for box in boxes if box["width"] > box["room"] + 1] == []
    figures = [box for box in boxes if box["fills"]]
    assert figures
    assert [box for box in figures if box["width"] < 0.95 * box["room"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
