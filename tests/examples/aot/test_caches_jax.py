"""JAX's cache on disk: what it finds again, what a hit saves, and entries that are damaged."""

import shutil

import pytest

from jaxvstorch.examples.aot.cached import UNCHANGED

X, _ = UNCHANGED


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
