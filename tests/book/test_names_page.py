"""The page of the map of names, in headless Chromium."""

import gzip
import json

import jsonschema
import pytest
from pages import SIZES
from queries import QUERIES
from sphinx.util.inventory import InventoryFile

from jaxvstorch._port.map.lookup import answers, nearest
from jaxvstorch._port.map.rows import jax_rows, rows

pytestmark = pytest.mark.built_book


def shown(page) -> list[str]:
    """The names that the filter leaves."""
    return page.evaluate(
        "[...document.querySelectorAll('.name[id]:not([hidden])')].map(row => row.id)"
    )


@pytest.fixture
def address(built_book):
    """The page as a file, without a server."""
    return (built_book / "names.html").as_uri()


@pytest.fixture
def page(chromium, address):
    context = chromium.new_context(
        viewport=dict(zip(("width", "height"), SIZES["wide"], strict=True))
    )
    page = context.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert failed == []


def type_name(page, text) -> None:
    page.get_by_label("Name", exact=True).fill(text)


def best(page) -> list[str]:
    """The names above the groups, the best first."""
    return page.evaluate(
        "[...document.querySelectorAll('.names-answers .name')].map(row => row.id)"
    )


def reasons(page) -> dict[str, str]:
    """Why each of these names answers."""
    return page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.names-answers .name')]"
        ".map(row => [row.id, row.querySelector('.why')?.textContent ?? '']))"
    )


def test_it_answers_as_the_command_does(page) -> None:
    # The same lookup is written in both languages.
    differing = {}
    for typed in QUERIES:
        type_name(page, typed)
        first = dict(list(answers(typed).items())[:12])
        if best(page) != [*first] or reasons(page) != first:
            differing[typed] = (reasons(page), first)
    assert differing == {}


def test_it_suggests_what_the_command_does(page) -> None:
    typed = ["torch.gahter", "gathr", "torch.nn.Linearr", "jnp.cumsm", "qwertyuiop"]
    suggested = {}
    for name in typed:
        type_name(page, name)
        suggested[name] = page.locator(".names-none a").all_inner_texts()
    assert suggested == {name: nearest(name) for name in typed}
    assert page.locator(".names-none").inner_text() == "The map has no “qwertyuiop”."
    type_name(page, "gather")
    assert not page.locator(".names-none").is_visible()


def test_an_answer_stands_once_on_the_page(page) -> None:
    everything = shown(page)
    type_name(page, "weight decay")
    assert shown(page).count("torch.optim.AdamW") == 1
    assert reasons(page) == {"torch.optim.AdamW": "for “weight decay”"}
    type_name(page, "")
    assert shown(page) == everything
    assert page.locator(".why").count() == 0


def test_the_contents_list_what_is_shown(page) -> None:
    type_name(page, "torch.tril_indices")
    entries = page.locator(".bd-sidebar-secondary li a:visible").all_inner_texts()
    headings = page.locator("section section :is(h2, h3):visible").all_inner_texts()
    assert entries == [heading.removesuffix("#").strip() for heading in headings]
    type_name(page, "")
    assert page.locator(".bd-sidebar-secondary li a:visible").count() > 20


def test_a_kind_that_is_chosen_is_explained(page) -> None:
    page.get_by_label("What differs").select_option("axis of a scalar array")
    assert "no axis for a scalar array" in page.locator(".names-meaning").inner_text()
    page.get_by_label("What differs").select_option("other shape")
    assert not page.locator(".names-meaning").is_visible()


def test_without_a_question_all_names_are_shown(page) -> None:
    everything = len(shown(page))
    type_name(page, "gather")
    assert len(shown(page)) < everything / 10
    assert page.locator(".names-filter output").inner_text().startswith(f"{len(shown(page))} of")
    type_name(page, "")
    assert len(shown(page)) == everything
    assert not page.locator(".names-answers").is_visible()


def test_an_address_can_hold_a_question(page, address) -> None:
    page.goto(f"{address}?q=weight%20decay")
    assert best(page)[0] == "torch.optim.AdamW"
    type_name(page, "torch.gather")
    # What Playwright knows of the address comes later than a replaced state.
    assert page.evaluate("location.search") == "?q=torch.gather"


def test_it_filters_by_verdict_and_by_what_differs(page) -> None:
    page.get_by_label("Verdict").select_option("done another way")
    assert "torch.manual_seed" in shown(page)
    assert "torch.gather" not in shown(page)
    page.get_by_label("Verdict").select_option("any")
    page.get_by_label("What differs").select_option("negative index")
    assert "torch.gather" in shown(page)
    assert "torch.exp" not in shown(page)


def test_a_group_without_a_name_that_fits_is_hidden(page) -> None:
    type_name(page, "torch.tril_indices")
    assert best(page)[0] == "torch.tril_indices"
    headings = page.locator("section section section h3:visible").all_inner_texts()
    assert len(headings) == 1  # of JAX's name, whose line has PyTorch's


def test_an_address_leads_to_its_name(page, address) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#torch.std")
    assert 0 <= page.locator("[id='torch.std']").bounding_box()["y"] < SIZES["wide"][1]


def test_an_address_shows_its_name_where_the_field_hides_it(page) -> None:
    type_name(page, "gather")
    page.evaluate("location.hash = '#torch.std'")
    page.locator("[id='torch.std']").wait_for()
    assert "torch.std" in shown(page)


def test_a_name_leads_to_its_page(page) -> None:
    page.locator("[id='torch.std'] a").click()
    page.wait_for_url("**/names/torch.std.html")
    assert page.locator("h1").inner_text() == "torch.std in JAX"
    assert "1.11803" in page.locator("main").inner_text()  # what people write first, by its value
    page.get_by_label("Another name").fill("gather")
    page.keyboard.press("Enter")
    page.wait_for_url("**/names.html?q=gather")
    assert best(page)[0] == "torch.gather"


def test_without_javascript_all_names_are_there_and_open(chromium, address) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".name:visible").count() > 2000
    assert not page.locator(".names-filter").is_visible()
    context.close()


@pytest.mark.parametrize("name", ["names.html", "names/torch.std.html", "names/torch.gather.html"])
def test_nothing_scrolls_sideways_on_a_phone(chromium, built_book, name) -> None:
    width, height = SIZES["phone"]
    context = chromium.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto((built_book / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_each_name_has_a_page_in_the_sitemap_and_in_the_inventory(built_book) -> None:
    pages = {path.name for path in (built_book / "names").glob("*.html")}
    names = [*rows(), *jax_rows()]
    assert len(pages) == len(names)
    sitemap = (built_book / "sitemap.xml").read_text()
    assert all(f"names/{page}" in sitemap for page in pages)
    inventory = InventoryFile.loads((built_book / "objects.inv").read_bytes(), uri="")
    assert set(names) <= {*inventory.data["std:label"]}


def test_a_name_that_is_the_same_object_leads_to_the_other(built_book) -> None:
    page = (built_book / "names/torch.double.html").read_text()
    assert 'http-equiv="refresh" content="0; url=../names/torch.float64.html"' in page


def test_programs_can_read_all_names(built_book) -> None:
    document = json.loads((built_book / "names.json").read_text())
    jsonschema.validate(document, json.loads((built_book / "names.schema.json").read_text()))
    assert len(document["names"]) == len(rows()) + len(jax_rows())


def test_it_is_light(page, built_book) -> None:
    html = (built_book / "names.html").read_bytes()
    assert len(gzip.compress(html)) < 400_000
    assert page.evaluate("document.querySelectorAll('*').length") < 25_000
