"""Every example of the package: ``explain`` counts what JAX and Dynamo count.

Of some forty, which between them have every kind of mark, each line is compared with what was
expected of it.
"""

import inspect

import pytest
from expected_marks import check, kept
from framework_counts import check_dynamo, check_jaxpr
from framework_versions import has

from jaxvstorch import explain
from jaxvstorch._pairs.registry import PAIRS, Pair

HALVES = [
    pytest.param((pair, framework), id=f"{pair}-{framework}")
    for framework in ("jax", "torch")
    for pair in PAIRS
]


@pytest.fixture
def half(request, monkeypatch, fresh_torch_compile, random_numbers_as_before):
    """One example in one framework; what the impure ones do outside is undone afterwards."""
    pair, framework = request.param
    function = pair.half(framework)
    world = inspect.unwrap(function).__globals__
    for name in ("scale", "calls"):
        if name in world:
            monkeypatch.setitem(world, name, world[name])
    monkeypatch.delenv("SHIFT", raising=False)
    return pair, framework, function


def arguments(pair: Pair, framework: str):
    """New arguments for each call: some examples write into theirs."""
    return pair.to_framework(framework, pair.make_inputs(16))


def breaks(pair: Pair) -> bool:
    """Whether the graph breaks here; in ``jittered`` it no longer does from PyTorch 2.14 on."""
    return not pair.fullgraph and not (pair.name == "jittered" and has("torch", "2.14"))


@pytest.mark.parametrize("half", HALVES, indirect=True)
def test_marks(half) -> None:
    pair, framework, function = half
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    if framework == "torch":
        explanation = explain(function, *arguments(pair, framework))
        check_dynamo(explanation, function, *arguments(pair, framework))
        assert bool(explanation.found("break")) is breaks(pair)
    else:
        import jax

        jitted = jax.jit(function, static_argnames=pair.static)
        explanation = explain(jitted, *arguments(pair, framework))
        if pair.jit:
            check_jaxpr(explanation, jitted.trace(*arguments(pair, framework)).jaxpr)
        else:
            assert explanation.programs == ()
            assert explanation.found("failed")
    assert explanation.function == explanation.sources[0].name == pair.name
    if str(pair) in kept(file := f"examples_{framework}.toml"):
        check(file, str(pair), explanation)


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_no_expectation_is_left_over(framework) -> None:
    assert kept(f"examples_{framework}.toml").keys() <= set(map(str, PAIRS))
