"""The page of the map of names, in headless Chromium."""

import gzip

import pytest
from pages import SIZES

pytestmark = pytest.mark.built_book


def shown(page) -> list[str]:
    """The names that the filter leaves."""
    return page.evaluate("[...document.querySelectorAll('.name:not([hidden])')].map(row => row.id)")


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


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("gather", "torch.gather"),
        ("F.gelu", "torch.nn.functional.gelu"),
        ("nn.Linear", "torch.nn.Linear"),
        ("jax.numpy.cumsum", "torch.cumsum"),
        ("jnp.take_along_axis", "torch.gather"),  # what people write first
        ("torch.Tensor.add_", "Tensor.add_"),
    ],
)
def test_the_filter_finds_names_of_both_as_one_types(page, typed, expected) -> None:
    everything = len(shown(page))
    type_name(page, typed)
    assert expected in shown(page)
    assert len(shown(page)) < everything / 10
    assert page.locator(".names-filter output").inner_text().startswith(f"{len(shown(page))} of")
    type_name(page, "")
    assert len(shown(page)) == everything


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
    headings = page.locator("section section h2:visible")
    assert [h.split("\n")[0].rstrip("#") for h in headings.all_inner_texts()] == [
        "Reading and writing by index"
    ]


def test_an_address_opens_its_name(page, address) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#torch.std")
    row = page.locator("[id='torch.std']")
    assert row.get_attribute("open") is not None
    assert 0 <= row.bounding_box()["y"] < SIZES["wide"][1]
    assert "1.11803" in row.inner_text()  # what people write first, by its value


def test_an_address_shows_its_name_where_the_filter_hides_it(page) -> None:
    type_name(page, "gather")
    page.evaluate("location.hash = '#torch.std'")
    page.locator("[id='torch.std'][open]").wait_for()
    assert "torch.std" in shown(page)


def test_a_name_that_is_opened_becomes_the_address(page) -> None:
    type_name(page, "torch.gather")
    page.locator("[id='torch.gather'] summary").click()
    page.wait_for_function("location.hash == '#torch.gather'")
    code = page.locator("[id='torch.gather'] pre")
    assert code.inner_text().startswith("import jax.numpy as jnp")
    assert page.locator("[id='torch.gather'] .copybtn").count() == 1


def test_without_javascript_all_names_are_there_and_open(chromium, address) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("details.name:visible, div.name:visible").count() > 1000
    assert not page.locator(".names-filter").is_visible()
    page.locator("[id='torch.gather'] summary").click()
    assert page.locator("[id='torch.gather'] pre").is_visible()
    context.close()


def test_nothing_scrolls_sideways_on_a_phone_with_all_names_open(chromium, address) -> None:
    width, height = SIZES["phone"]
    context = chromium.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(address)
    page.evaluate("for (const row of document.querySelectorAll('details.name')) row.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_it_is_light(page, built_book) -> None:
    html = (built_book / "names.html").read_bytes()
    assert len(gzip.compress(html)) < 400_000
    assert page.evaluate("document.querySelectorAll('*').length") < 25_000
