"""The search leads those who type what they want to the page that has it."""

import pytest

pytestmark = pytest.mark.built_book

RIGHT = {
    "load a state_dict": "topics/porting-pretrained",
    "TracerBoolConversionError": "topics/branching",
    "DataLoader": "topics/data",
    "AdamW": "topics/optimizers",
    "graph break print": "topics/purity",
    "checkpoint": "topics/checkpoints",
    "donate": "topics/updates",
    "data parallel": "topics/parallelism",
    "profile": "recipes",
    "seed": "topics/randomness",
    "mixed precision": "topics/precision",
    "which is faster": "reference/results",
    "recompilation": "topics/tracing-again",
    "static_argnums": "topics/static_args",
    "scan": "topics/loops",
    "vmap": "topics/vectorization",
    "custom_vjp": "topics/autodiff-rules",
    "out of memory": "recipes",
    "dropout train eval": "topics/modules",
    "export model": "topics/aot-export",
    "compilation cache": "topics/aot-caches",
    "learning rate schedule": "topics/optimizers-schedules",
    "dtype promotion": "topics/indexing_dtypes-dtypes",
    "torch.gather": "names/torch.gather",
    "index out of bounds": "topics/indexing_dtypes",
    "nan gradient where": "topics/branching-derivatives",
    "dynamic shapes": "topics/shapes",
    "gradient checkpointing": "topics/memory-backward",
    "kv cache": "topics/training-sampling",
    "time a function": "topics/timing",
    "port gives wrong numbers": "diff",
    "loss curves differ": "diff-training",
    "if statement in jit": "topics/branching",
    "shard_map": "topics/parallelism-collectives",
    "jit first call slow": "reference/first-calls",
    "gradient clipping": "topics/optimizers-schedules",
    "per-sample gradients": "topics/autodiff-cost",
    "global variable": "topics/purity",
    "install": "how-to-read",
}


@pytest.fixture
def page(chromium, site):
    context = chromium.new_context(base_url=site)
    yield context.new_page()
    context.close()


def test_the_right_page_comes_first_for_most_queries(page):
    first = {}
    for query in RIGHT:
        page.goto(f"search.html?q={query}")
        result = page.locator("#search-results ul.search > li > a").first
        result.wait_for()
        first[query] = result.get_attribute("href").partition(".html")[0].lstrip("./")
    wrong = {query: found for query, found in first.items() if found != RIGHT[query]}
    assert len(wrong) <= 3, wrong


def test_words_that_no_page_has_together_lead_to_pages_with_some(page):
    page.goto("search.html?q=gradient checkpointing nonsensically")
    page.get_by_text("some of them").wait_for()
    first = page.locator("#search-results ul.search > li > a").first
    assert first.get_attribute("href").partition(".html")[0].endswith("topics/memory-backward")


def test_a_message_leads_to_its_entry(page):
    page.goto("search.html?q=mat1 and mat2 shapes cannot be multiplied")
    result = page.locator("#search-results ul.search > li > a").first
    result.wait_for()
    assert result.get_attribute("href").endswith("errors/torch/shapes-of-matmul.html")


def test_a_result_leads_to_a_section_and_no_proof_is_found(page):
    page.goto("search.html?q=recompile limit")
    section = page.locator("#search-results ul.search ul a").first
    section.wait_for()
    assert "#" in section.get_attribute("href")
    page.goto('search.html?q="import_framework"')
    page.get_by_text("Nothing has").wait_for()
