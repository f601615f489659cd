"""Input, output, the clock, random states."""

import os
import random

import numpy as np
import pytest
from purity_inputs import X
from torch_versions import has_torch

from jaxvstorch import ledger


def test_torch_guards_the_environment_unless_it_is_read_by_getenv(torch, monkeypatch) -> None:
    def by_environ(x):
        return x + float(os.environ["SHIFT"])

    def by_getenv(x):
        return x + float(os.getenv("SHIFT"))

    x = torch.zeros(1)
    results = {}
    for function in (by_environ, by_getenv):
        compiled = torch.compile(function, backend="eager", fullgraph=True)
        monkeypatch.setenv("SHIFT", "1")
        first = compiled(x).item()
        monkeypatch.setenv("SHIFT", "2")
        results[function.__name__] = (first, compiled(x).item())
    assert results == {"by_environ": (1, 2), "by_getenv": (1, 1)}


@pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace")
@pytest.mark.parametrize(
    "name",
    [
        "shifted_by_file",
        "announced_sum",
        "stamped",
        pytest.param("jittered", marks=pytest.mark.skipif(has_torch("2.14"), reason="one graph")),
    ],
)
def test_torch_breaks_the_graph(torch, in_torch, name) -> None:
    arguments = (torch.from_numpy(X), os.devnull)[: 2 if name == "shifted_by_file" else 1]
    function = getattr(in_torch, name)
    assert ledger(torch.compile(function, backend="eager"), [arguments]).breaks == [1]
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(function, backend="eager", fullgraph=True)(*arguments)


def test_jax_prints_the_tracer_once(jax, in_jax, capsys) -> None:
    jitted = jax.jit(in_jax.announced_sum)
    jitted(X)
    jitted(X)
    assert capsys.readouterr().out == "sum: JitTracer(float32[])\n"


def test_a_file_name_must_be_static_in_jax(jax, in_jax) -> None:
    with pytest.raises(TypeError, match="not marked as static"):
        jax.jit(in_jax.shifted_by_file)(X, os.devnull)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.uniform(0, 1),
        pytest.param(
            lambda: random.random(),
            marks=pytest.mark.skipif(not has_torch("2.14"), reason="the graph breaks"),
        ),
    ],
    ids=["uniform", "random"],
)
def test_some_of_pythons_random_functions_stay_in_torchs_graph(torch, draw) -> None:
    compiled = torch.compile(lambda x: x + draw(), backend="eager", fullgraph=True)
    x = torch.zeros(1)
    random.seed(3)
    got = [compiled(x).item() for _ in range(2)]
    random.seed(3)
    assert got == pytest.approx([draw() for _ in range(2)])


def test_numpys_generator_becomes_torchs_in_one_graph(torch, in_torch) -> None:
    compiled = torch.compile(in_torch.noisy, backend="eager", fullgraph=True)
    x = torch.zeros(3, dtype=torch.float64)

    def draw(seed_numpy: int, seed_torch: int):
        np.random.seed(seed_numpy)
        torch.manual_seed(seed_torch)
        return compiled(x)

    first = draw(0, 0)
    assert torch.equal(draw(1, 0), first)
    assert not torch.equal(draw(0, 1), first)
    np.random.seed(0)
    before = np.random.get_state()[2]
    compiled(x)
    assert np.random.get_state()[2] == before


def test_numpys_own_stream_can_be_asked_for_and_breaks_the_graph(torch, in_torch) -> None:
    x = torch.zeros(3)
    with torch._dynamo.config.patch(use_numpy_random_stream=True):
        np.random.seed(0)
        got = torch.compile(in_torch.noisy, backend="eager")(x)
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(in_torch.noisy, backend="eager", fullgraph=True)(x)
    np.random.seed(0)
    assert np.allclose(got, np.random.normal(size=3))
