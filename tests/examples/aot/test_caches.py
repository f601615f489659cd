"""What of the caches on disk depends on versions: keys, and what is not kept."""

import os
import shutil

import pytest
from needs import needs_compiler

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


@pytest.fixture
def said(torch):
    """What PyTorch's caches say when a function is compiled once more: hit, miss and so on.

    A new tag in the key makes the cache look empty. In a new folder Inductor would first compile
    its header.
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
def test_torch_does_not_keep_a_program_that_prints(torch, said) -> None:
    def shown(x):
        torch._higher_order_ops.print("{}", x[0])
        return x + 1

    assert said(shown, torch.from_numpy(X)) == ["bypass", "bypass"]


@needs_compiler
def test_the_version_of_torch_is_in_its_key(torch, said, monkeypatch) -> None:
    from torch._inductor import codecache

    x = torch.from_numpy(X)
    monkeypatch.setattr(codecache, "torch_key", lambda: b"another version")
    said(doubled, x)
    assert said(doubled, x) == ["hit", "hit"]
    monkeypatch.undo()
    assert said(doubled, x) == ["miss", "miss"]
