"""PyTorch's caches on disk: what they find again, and what carries them elsewhere."""

import os
from pathlib import Path

import pytest
from needs import needs_compiler

from jaxvstorch.examples.aot.cached import UNCHANGED

X, _ = UNCHANGED


def doubled(x):
    return x + x


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
