"""The caches on disk: what they find again, what a hit saves, and entries that are damaged."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch.examples.aot import caches
from jaxvstorch.examples.aot.cached import EDITS, PROGRAM, UNCHANGED, function
from jaxvstorch.examples.aot.caches import CHANGES, DEVICES, CacheTable, cache_table

X, GAIN = UNCHANGED


@pytest.fixture
def folder(jax, tmp_path):
    """JAX's cache, which keeps everything; afterwards all is as before."""
    from jax.experimental.compilation_cache import compilation_cache

    options = {
        "jax_compilation_cache_dir": str(tmp_path / "cache"),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_compilation_cache_max_size": -1,
        "jax_raise_persistent_cache_errors": False,
        "jax_persistent_cache_enable_xla_caches": "xla_gpu_per_fusion_autotune_cache_dir",
    }
    before = {name: getattr(jax.config, name) for name in options}
    for name, value in options.items():
        jax.config.update(name, value)
    yield tmp_path / "cache"
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


@pytest.fixture
def ask(jax, folder):
    """What JAX's cache says when a function is compiled once more: hits and misses."""
    events = []

    def listen(name, **_):
        if name.startswith("/jax/compilation_cache/cache_"):
            events.append(name.rpartition("_")[2])

    def compiled(function, *arguments):
        jax.clear_caches()
        events.clear()
        jax.jit(function)(*arguments)
        return list(events)

    jax.monitoring.register_event_listener(listen)
    yield compiled
    jax.monitoring.unregister_event_listener(listen)


def doubled(x):
    return x + x


def test_jax_finds_a_program_again_and_traces_all_the_same(ask, folder) -> None:
    traced = []

    def shifted(x):
        traced.append(x)
        return x + 3

    assert [ask(shifted, X), ask(shifted, X)] == [["misses"], ["hits"]]
    assert len(traced) == 2
    assert [path.name.partition("-")[0] for path in folder.iterdir()] == ["jit_shifted"]


def test_jax_keeps_nothing_that_compiled_fast_unless_asked_to(jax, ask, folder) -> None:
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1000)
    ask(doubled, X)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_jax_finds_nothing_in_a_folder_of_another_name(jax, ask, folder) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    def moved(name):
        compilation_cache.reset_cache()
        place = shutil.copytree(folder, folder.with_name(name))
        jax.config.update("jax_compilation_cache_dir", str(place))
        return ask(doubled, X)

    ask(doubled, X)
    # JAX 0.12 no longer has the folder's name in the key.
    assert moved("one") == (["hits"] if jax.__version_info__ >= (0, 12) else ["misses"])
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
    jax.config.update("jax_compilation_cache_dir", str(folder))
    compilation_cache.reset_cache()
    ask(doubled, X)
    assert moved("two") == ["hits"]


def test_the_version_of_jaxlib_is_in_jax_s_key(ask, monkeypatch) -> None:
    from jax._src import cache_key

    assert ask(doubled, X) == ["misses"]
    monkeypatch.setattr(cache_key, "jaxlib_version_str", "0.0.1")
    assert ask(doubled, X) == ["misses"]
    monkeypatch.undo()
    assert ask(doubled, X) == ["hits"]


def test_jax_does_not_keep_a_program_that_calls_python_before_0_12(jax, ask, folder) -> None:
    def shown(x):
        jax.debug.print("{}", x[0])
        return x

    found = [ask(shown, X), ask(shown, X)]
    if jax.__version_info__ >= (0, 12):
        assert found == [["misses"], ["hits"]]
        return
    assert found == [[], []]
    assert not folder.exists() or list(folder.iterdir()) == []


def test_jax_removes_old_entries_once_the_folder_has_a_limit(jax, ask, folder) -> None:
    jax.config.update("jax_compilation_cache_max_size", 8000)
    for shift in range(6):
        ask(lambda x, shift=shift: x + shift, X)
    kept = list(folder.glob("*-cache"))
    assert 0 < len(kept) < 6
    assert sum(path.stat().st_size for path in kept) <= 8000


def test_a_folder_that_was_filled_without_a_limit_takes_none(jax, ask, folder) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    ask(doubled, X)
    before = set(folder.glob("*-cache"))
    jax.config.update("jax_compilation_cache_max_size", 10**6)
    compilation_cache.reset_cache()
    if jax.__version_info__ >= (0, 12):  # it does
        ask(lambda x: x + 7, X)
        assert set(folder.glob("*-cache")) > before
        return
    with pytest.warns(UserWarning, match="Error writing persistent compilation cache entry"):
        ask(lambda x: x + 7, X)
    assert set(folder.glob("*-cache")) == before


def test_names_of_inner_functions_and_results_are_in_jax_s_key(jax, ask) -> None:
    def g(x):
        return x + 5

    def h(x):
        return x + 5

    def calls(inner):
        inner = jax.jit(inner)
        return ask(lambda x: inner(x) * inner(x + 1), X)

    assert [calls(g), calls(g), calls(h)] == [["misses"], ["hits"], ["misses"]]
    keys = [ask(lambda x, key=key: {key: x + 9}, X) for key in "aab"]
    assert keys == [["misses"], ["hits"], ["misses"]]


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_jax_warns_of_a_damaged_entry_and_compiles(jax, ask, folder, damage) -> None:
    ask(doubled, X)
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    middle = len(whole) // 2
    changed = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    entry.write_bytes(whole[:middle] if damage == "cut" else changed)
    with pytest.warns(UserWarning, match="Error reading persistent compilation cache entry"):
        assert ask(doubled, X) == ["misses"]
    assert entry.read_bytes() != whole  # it stays, and is read again
    jax.config.update("jax_raise_persistent_cache_errors", True)
    with pytest.raises(Exception, match="while decompressing data"):
        ask(doubled, X)


@pytest.fixture
def said(torch, monkeypatch):
    """What PyTorch's caches say when a function is compiled once more: hit, miss and so on.

    A tag of its own stands for an empty cache: in a new folder Inductor would first compile its
    header.
    """
    from torch._dynamo.utils import counters

    def compiled(function, *arguments, **options):
        torch.compiler.reset()
        counters.clear()
        torch.compile(function, **options)(*arguments)
        names = (("aot_autograd", "autograd_cache_"), ("inductor", "fxgraph_cache_"))
        words = ("hit", "miss", "bypass")
        return [word for group, key in names for word in words if counters[group][key + word]]

    with torch.compiler.config.patch(cache_key_tag=f"test {os.urandom(8).hex()}"):
        yield compiled
    counters.clear()


@needs_compiler
def test_torch_finds_a_program_again_and_traces_all_the_same(torch, said) -> None:
    x = torch.from_numpy(X)
    assert [said(doubled, x), said(doubled, x)] == [["miss", "miss"], ["hit", "hit"]]
    from torch._dynamo.utils import counters

    assert counters["stats"]["unique_graphs"] == 1


@needs_compiler
def test_torch_does_not_keep_a_program_that_prints(torch, said) -> None:
    def shown(x):
        torch._higher_order_ops.print("{}", x[0])
        return x + 1

    assert said(shown, torch.from_numpy(X)) == ["bypass", "bypass"]


@needs_compiler
@pytest.mark.filterwarnings("ignore:dynamo_pgo force disabled:UserWarning")
def test_torch_s_caches_can_be_switched_off(torch, said) -> None:
    with torch.compiler.config.patch(force_disable_caches=True):
        assert said(doubled, torch.from_numpy(X)) == []


@needs_compiler
def test_the_version_of_torch_is_in_its_key(torch, said, monkeypatch) -> None:
    from torch._inductor import codecache

    x = torch.from_numpy(X)
    monkeypatch.setattr(codecache, "torch_key", lambda: b"another version")
    said(doubled, x)
    assert said(doubled, x) == ["hit", "hit"]
    monkeypatch.undo()
    assert said(doubled, x) == ["miss", "miss"]


@needs_compiler
def test_artifacts_carry_torch_s_entries_to_another_machine(torch, said, monkeypatch, tmp_path):
    x = torch.from_numpy(X)
    said(doubled, x)
    artifacts, kinds = torch.compiler.save_cache_artifacts()
    assert set(kinds.artifacts) >= {"inductor", "aot_autograd"}
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    assert torch.compiler.load_cache_artifacts(artifacts) is not None
    assert said(doubled, x) == ["hit", "hit"]
    assert torch.compiler.load_cache_artifacts(artifacts[: len(artifacts) // 2]) is None


@needs_compiler
def test_torch_compiles_again_where_an_entry_is_cut_off(torch, said, monkeypatch, tmp_path) -> None:
    x = torch.from_numpy(X)
    said(doubled, x)
    artifacts, _ = torch.compiler.save_cache_artifacts()
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch.compiler.load_cache_artifacts(artifacts)
    entries = [path for path in Path(tmp_path, "aotautograd").rglob("*") if path.is_file()]
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:1000])
    assert said(doubled, x) == ["miss", "hit"]


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_every_edit_changes_the_text_and_some_change_the_answer(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    import re

    texts = [re.sub(*edit, PROGRAM[framework]) for edit in EDITS.values()]
    assert len(set(texts)) == len(EDITS)
    assert function(framework, "the name of the function").__name__ == "g"
    x = X
    if framework == "torch":
        x = pytest.importorskip("torch").from_numpy(X)
    answers = {edit: np.asarray(function(framework, edit)(x, GAIN)).tolist() for edit in EDITS}
    others = [edit for edit, answer in answers.items() if answer != answers["nothing"]]
    assert others == ["a constant in the function", "the numbers in an array that it captures"]


def test_a_table_as_text_and_html() -> None:
    table = CacheTable({"jax": dict.fromkeys(CHANGES, "hit"), "torch": {"nothing": "miss"}})
    assert str(table).splitlines()[:2] == [
        "changed                                   JAX  PyTorch",
        "nothing                                   hit  miss",
    ]
    assert table._repr_html_().count('<td class="wrong">miss</td>') == 1


def test_a_process_that_does_not_answer_is_named(monkeypatch) -> None:
    monkeypatch.setattr(caches, "SECONDS", 0.01)
    with pytest.raises(RuntimeError, match=r"jax did not answer in 0\.01 s: nothing"):
        cache_table(("jax",))


@pytest.mark.matrix
@needs_compiler
def test_what_the_caches_find_after_each_change() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    found = cache_table().cells
    hits = {name: {c for c in CHANGES if found[name].get(c) == "hit"} for name in found}
    same = {"nothing", "a comment above the function"}
    names = {"the name of an argument", "the name of a local variable"}
    threads = {"the number of cores and threads"}
    assert hits["jax"] == same | names | threads | {"the value of a Python argument"}
    captured = "the numbers in an array that it captures"
    assert hits["torch"] == same | {"the name of the function", captured, "the folder of the cache"}
    partly = {change for change, word in found["torch"].items() if word == "partly"}
    assert partly == names
    assert DEVICES not in found["torch"]
