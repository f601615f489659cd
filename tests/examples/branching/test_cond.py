"""cond, switch and where: one program, and which branches run."""

import gc

import pytest
from branching_programs import X, operations_after_vmap
from programs import primitives

from jaxvstorch import ledger


def test_jax_cond_keeps_both_branches_in_one_program(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    calls = [(jax.numpy.bool_(value), x) for value in (True, False, True)]
    assert ledger(jax.jit(in_jax.select_cond), calls).programs == [1, 0, 0]
    assert "cond" in primitives(jax.make_jaxpr(in_jax.select_cond)(*calls[0]))
    elements = primitives(jax.make_jaxpr(in_jax.select_elements)(x > 1, x))
    assert elements == ["sin", "mul", "select_n"]


def test_xla_fuses_a_where_and_keeps_a_cond(jax, in_jax) -> None:
    for name, kept, absent in (
        ("select_cond", " conditional(", " select("),
        ("select_where", " fusion(", " conditional("),
    ):
        lowered = jax.jit(getattr(in_jax, name)).lower(jax.numpy.bool_(True), X)
        program = lowered.compile().as_text()
        assert kept in program
        assert absent not in program


@pytest.mark.parametrize("name", ["select_cond", "select_where", "select_elements"])
def test_torch_makes_one_program_for_both_answers(torch, in_torch, name: str) -> None:
    yes, no = torch.tensor(True), torch.tensor(False)
    shape = (4,) if name == "select_elements" else ()
    calls = [(predicate.expand(shape), torch.tensor(X)) for predicate in (yes, no, yes)]
    book = ledger(torch.compile(getattr(in_torch, name), backend="eager", fullgraph=True), calls)
    assert book.programs == [1, 0, 0]


def test_torch_cond_is_compiled_even_when_called_eagerly(torch, in_torch) -> None:
    from torch._dynamo.utils import counters

    x, yes, no = torch.tensor(X), torch.tensor(True), torch.tensor(False)
    before = counters["stats"]["unique_graphs"]
    in_torch.select_cond(yes, x)
    once = counters["stats"]["unique_graphs"]
    in_torch.select_cond(no, x)
    assert (once - before, counters["stats"]["unique_graphs"] - once) == (1, 0)


def test_without_jit_jax_compiles_a_cond_anew_for_a_new_function(
    jax, in_jax, compiled_by_jax
) -> None:
    x = jax.numpy.asarray(X)

    def select_unnamed(predicate, x):
        return jax.lax.cond(predicate, jax.numpy.sin, lambda x: x * x, x)

    for function, compilations in ((select_unnamed, 3), (in_jax.select_cond, 0)):
        function(True, x)
        compiled_by_jax.clear()
        for _ in range(3):
            function(True, x)
        assert compiled_by_jax == ["jit(cond)"] * compilations


def test_jax_keeps_the_program_of_each_such_call(jax) -> None:
    x = jax.numpy.asarray(X)

    def select(predicate, x):
        return jax.lax.cond(predicate, jax.numpy.sin, lambda x: x * x, x)

    def programs():
        gc.collect()
        return len(jax.devices()[0].client.live_executables())

    select(True, x)
    before = programs()
    for _ in range(3):
        select(True, x)
    assert programs() == before + 3
    jax.clear_caches()
    assert programs() < before


def test_jax_runs_one_branch_of_a_cond_and_both_under_vmap(jax) -> None:
    ran: list[str] = []

    def noting(name, function):
        def branch(x):
            jax.debug.callback(lambda: ran.append(name))
            return function(x)

        return branch

    def select(predicate, x):
        sin, square = noting("sin", jax.numpy.sin), noting("square", jax.numpy.square)
        return jax.lax.cond(predicate, sin, square, x)

    jax.jit(select)(True, jax.numpy.asarray(X))
    jax.effects_barrier()
    assert ran == ["sin"]
    ran.clear()
    jax.jit(jax.vmap(select))(jax.numpy.array([True, True]), jax.numpy.ones((2, 4)))
    jax.effects_barrier()
    assert set(ran) == {"sin", "square"}


def test_jax_vmap_turns_cond_into_select_unless_the_predicate_is_shared(jax, in_jax) -> None:
    cond = in_jax.select_cond
    predicates, batch = jax.numpy.array([True, False]), jax.numpy.ones((2, 4))
    batched = primitives(jax.make_jaxpr(jax.vmap(cond))(predicates, batch))
    assert {"sin", "mul", "select_n"} <= set(batched)
    assert "cond" not in batched
    shared = jax.make_jaxpr(jax.vmap(cond, (None, 0)))(predicates[0], batch)
    assert "cond" in primitives(shared)


def test_jax_map_keeps_the_cond(jax, in_jax) -> None:
    def one_by_one(predicates, x):
        return jax.lax.map(lambda pair: in_jax.expensive_cond(*pair), (predicates, x))

    predicates, x = jax.numpy.array([True, False]), jax.numpy.ones((2, 3, 3))
    text = str(jax.make_jaxpr(one_by_one)(predicates, x))
    assert "cond[" in text
    assert "select_n" not in text


def test_torch_vmap_turns_cond_into_where_unless_the_predicate_is_shared(torch, in_torch) -> None:
    cond, batch = in_torch.select_cond, torch.ones(2, 4)
    batched = operations_after_vmap(torch, torch.vmap(cond), torch.tensor([True, True]), batch)
    assert {"aten.sin.default", "aten.mul.Tensor", "aten.where.self"} <= set(batched)
    assert "cond" not in batched
    one = torch.vmap(cond, in_dims=(None, 0))
    shared = operations_after_vmap(torch, one, torch.tensor(True), batch)
    assert "cond" in shared
    assert "aten.where.self" not in shared


def test_torch_vmap_refuses_an_if_and_a_cond_with_two_results(torch, in_torch) -> None:
    predicates, batch = torch.tensor([True, False]), torch.ones(2, 4)
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        torch.vmap(in_torch.select_if)(predicates, batch)

    def pair(predicate, x):
        return torch.cond(predicate, lambda x: (x + 1, x + 2), lambda x: (x * 2, x * 3), (x,))

    with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError, match="unflatten"):
        torch.vmap(pair)(predicates, batch)
