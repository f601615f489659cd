"""What compilers make of pure and impure functions, told by what the frameworks report.

The matrix of all kinds is in ``tests/explainer/test_purity_matrix.py``.
"""

import os
import random

import numpy as np
import pytest

from jaxvstorch import ledger

X = np.arange(4, dtype=np.float32)


@pytest.fixture
def jax():
    """JAX, which has forgotten what earlier tests compiled."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.clear_caches()
    return jax


@pytest.fixture
def in_jax(jax):
    from jaxvstorch.examples.purity import jax as half

    yield half
    half.kept.clear()


@pytest.fixture
def torch(fresh_torch_compile):
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def in_torch(torch):
    from jaxvstorch.examples.purity import torch as half

    yield half
    half.kept.clear()


def graphs_of(torch, function, *arguments) -> list[str]:
    """The graphs that Dynamo hands to the backend, as code."""
    found = []

    def keep(graph, inputs):
        found.append(graph.code)
        return graph.forward

    torch.compile(function, backend=keep)(*arguments)
    return found


# Pure functions, local mutation included.


def test_jax_sees_nothing_of_a_local_list(jax, in_jax) -> None:
    assert ledger(jax.jit(in_jax.powers), [(X,), (X,)]).traces == [1, 0]
    primitives = [e.primitive.name for e in jax.make_jaxpr(in_jax.powers)(X).eqns]
    assert primitives.count("mul") == 2
    assert primitives[-1] == "stack"


def test_torch_sees_nothing_of_a_local_list(torch, in_torch) -> None:
    x = torch.from_numpy(X)
    (graph,) = graphs_of(torch, in_torch.powers, x)
    assert "append" not in graph
    assert graph.count(" * ") == 2


def test_rebinding_a_name_leaves_the_argument_alone(jax, in_jax, torch, in_torch) -> None:
    for x, half in ((jax.numpy.asarray(X), in_jax), (torch.from_numpy(X.copy()), in_torch)):
        half.squared_deviations(x)
        assert np.array_equal(np.asarray(x), X)


def test_an_augmented_assignment_rebinds_in_jax_and_changes_the_tensor_in_torch(jax, torch) -> None:
    def add_one(x):
        x += 1
        return x

    array, tensor = jax.numpy.asarray(X), torch.from_numpy(X.copy())
    assert np.array_equal(jax.jit(add_one)(array), X + 1)
    assert np.array_equal(array, X)
    torch.compile(add_one, backend="eager", fullgraph=True)(tensor)
    assert np.array_equal(tensor, X + 1)


# A global read.


def test_jax_freezes_a_global(jax, in_jax, monkeypatch) -> None:
    jitted = jax.jit(in_jax.scaled)
    assert ledger(jitted, [(X,), (X,)]).traces == [1, 0]
    monkeypatch.setattr(in_jax, "scale", 10.0)
    assert ledger(jitted, [(X,)]).traces == [0]
    assert np.array_equal(jitted(X), 2 * X)
    other_shape = X[:3]
    assert np.array_equal(jitted(other_shape), 10 * other_shape)
    assert np.array_equal(jitted(X), 2 * X)


def test_the_global_is_a_constant_of_the_jaxpr(jax, in_jax) -> None:
    assert "mul 2.0" in str(jax.make_jaxpr(in_jax.scaled)(X))


def test_torch_guards_a_global(torch, in_torch, monkeypatch) -> None:
    x = torch.from_numpy(X)
    compiled = torch.compile(in_torch.scaled, backend="eager", fullgraph=True)
    assert ledger(compiled, [(x,), (x,)]).traces == [1, 0]
    monkeypatch.setattr(in_torch, "scale", 10.0)
    (call,) = ledger(compiled, [(x,)]).calls
    assert call.compilations.traces == 1
    assert "G['scale'] == 2.0" in call.compilations.reasons[0]
    assert torch.equal(compiled(x), 10 * x)


# An argument changed, a global written.


def test_jax_writes_into_a_copy_of_the_dictionary(jax, in_jax) -> None:
    stats = {}
    assert np.array_equal(jax.jit(in_jax.centered)(X, stats), X - X.mean())
    assert stats == {}


def test_jax_counts_traces_instead_of_calls(jax, in_jax, monkeypatch) -> None:
    monkeypatch.setattr(in_jax, "calls", 0)
    book = ledger(jax.jit(in_jax.counted), [(X,), (X,), (X[:3],)])
    assert book.traces == [1, 0, 1]
    assert in_jax.calls == 2


def test_torch_replays_side_effects_after_the_graph(torch, in_torch, monkeypatch) -> None:
    x = torch.from_numpy(X)
    monkeypatch.setattr(in_torch, "calls", 0)
    outside_while_running = []

    def look(graph, inputs):
        def run(*arguments):
            outside_while_running.append((len(in_torch.kept), in_torch.calls, dict(stats)))
            return graph(*arguments)

        return run

    stats: dict = {}
    for function, extra in (
        (in_torch.summed_squares, ()),
        (in_torch.counted, ()),
        (in_torch.centered, (stats,)),
    ):
        torch.compile(function, backend=look, fullgraph=True)(x, *extra)
    assert outside_while_running == [(0, 0, {}), (1, 0, {}), (1, 1, {})]
    assert torch.equal(in_torch.kept[0], x * x)
    assert in_torch.calls == 1
    assert stats == {"mean": 1.5}


def test_a_kept_tensor_is_an_output_of_torchs_graph(torch, in_torch) -> None:
    (graph,) = graphs_of(torch, in_torch.summed_squares, torch.from_numpy(X))
    assert "return (sum_1, squares)" in graph


def test_a_counter_compiles_on_every_call_until_the_limit(torch, in_torch, monkeypatch) -> None:
    x = torch.from_numpy(X)
    monkeypatch.setattr(in_torch, "calls", 0)
    compiled = torch.compile(in_torch.counted, backend="eager")
    with torch._dynamo.config.patch(recompile_limit=3):
        book = ledger(compiled, [(x,)] * 5)
    assert book.traces == [1, 1, 1, 0, 0]
    assert "G['calls'] == 0" in book.rows()[1][-1]
    assert in_torch.calls == 5


# Input, output, the clock, random states.


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
@pytest.mark.parametrize("name", ["shifted_by_file", "announced_sum", "stamped", "jittered"])
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


def test_some_of_pythons_random_functions_stay_in_torchs_graph(torch) -> None:
    def jittered(x):
        return x + random.uniform(0, 1)

    compiled = torch.compile(jittered, backend="eager", fullgraph=True)
    x = torch.zeros(1)
    random.seed(3)
    got = [compiled(x).item() for _ in range(2)]
    random.seed(3)
    assert got == pytest.approx([random.uniform(0, 1) for _ in range(2)])


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


# A tracer that leaks.


def test_a_leaked_tracer_is_stored_and_its_use_is_an_error(jax, in_jax) -> None:
    assert jax.jit(in_jax.summed_squares)(X) == np.sum(X * X)
    (leaked,) = in_jax.kept
    assert isinstance(leaked, jax.core.Tracer)
    assert repr(leaked) == "JitTracer(float32[4])"
    with pytest.raises(jax.errors.UnexpectedTracerError, match=r"summed_squares") as caught:
        leaked + 1
    assert "created on line" in str(caught.value)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        np.asarray(leaked)


def test_check_tracer_leaks_finds_it_when_the_trace_ends(jax, in_jax) -> None:
    with (
        jax.check_tracer_leaks(),
        pytest.raises(Exception, match=r"(?s)Leaked trace.*purity\.jax\.kept"),
    ):
        jax.jit(in_jax.summed_squares)(X)


def test_check_tracer_leaks_is_silent_about_what_was_compiled_before(jax, in_jax) -> None:
    jitted = jax.jit(in_jax.summed_squares)
    jitted(X)
    with jax.check_tracer_leaks():
        jitted(X)


@pytest.mark.parametrize("name", ["powers", "squared_deviations", "neighbour_sums", "scaled"])
def test_check_tracer_leaks_is_silent_about_functions_that_keep_nothing(jax, in_jax, name) -> None:
    with jax.check_tracer_leaks():
        jax.jit(getattr(in_jax, name))(X)


# Mutation inside jit, done right.


def accumulate(total, x) -> None:
    """For JAX and for PyTorch: both write through to what they were given."""
    total[...] += x.sum()


def test_a_ref_lives_inside_a_jitted_function(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    assert np.array_equal(jax.jit(in_jax.neighbour_sums)(x), [1, 3, 5, 3])
    assert np.array_equal(x, X)
    assert "new_ref" in str(jax.make_jaxpr(in_jax.neighbour_sums)(x))


def test_torch_makes_an_in_place_update_of_a_local_tensor_functional(torch, in_torch) -> None:
    from torch._dynamo.backends.common import aot_autograd

    found = []

    def keep(graph, inputs):
        found.append(graph.code)
        return graph.forward

    x = torch.from_numpy(X)
    got = torch.compile(in_torch.neighbour_sums, backend=aot_autograd(fw_compiler=keep))(x)
    assert got.tolist() == [1, 3, 5, 3]
    assert "add_(" not in found[0]
    assert "slice_scatter" in found[0]


def test_a_ref_argument_keeps_what_every_call_wrote(jax) -> None:
    total, x = jax.new_ref(jax.numpy.zeros(())), jax.numpy.asarray(X)
    jitted = jax.jit(accumulate)
    assert ledger(jitted, [(total, x), (total, x)]).traces == [1, 0]
    assert total[...] == 2 * X.sum()
    total[...] = 100.0
    jitted(total, x)
    assert total[...] == 100 + X.sum()


def test_a_tensor_argument_keeps_what_every_call_wrote(torch) -> None:
    total, x = torch.zeros(()), torch.from_numpy(X)
    compiled = torch.compile(accumulate, backend="aot_eager", fullgraph=True)
    assert ledger(compiled, [(total, x), (total, x)]).traces == [1, 0]
    assert total == 2 * X.sum()


def test_an_array_argument_cannot_be_changed(jax) -> None:
    with pytest.raises(TypeError, match="JAX arrays are immutable"):
        jax.jit(accumulate)(jax.numpy.zeros(()), X)


def test_what_a_ref_must_not_do(jax) -> None:
    ref = jax.new_ref(jax.numpy.zeros(()))
    with pytest.raises(ValueError, match="cannot be returned"):
        jax.jit(lambda x: jax.new_ref(x))(X)
    with pytest.raises(ValueError, match="only one reference"):
        jax.jit(lambda a, b: a[...] + b[...])(ref, ref)


def test_frozen_refs_are_gone(jax) -> None:
    def used_after(x):
        ref = jax.new_ref(x)
        return jax.freeze(ref) + ref[...]

    with pytest.raises(ValueError, match="must be called on `Ref` types"):
        jax.jit(used_after)(X)
