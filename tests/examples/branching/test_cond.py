"""cond, switch and where: one program, and which branches run."""

import gc

import pytest
from branching_programs import operations, primitives

from jaxvstorch import ledger


def test_jax_cond_keeps_both_branches_in_one_program(in_jax) -> None:
    j, e = in_jax, in_jax.examples
    calls = [(j.jnp.bool_(value), j.x) for value in (True, False, True)]
    assert ledger(j.jax.jit(e.select_cond), calls).programs == [1, 0, 0]
    assert "cond" in primitives(j, e.select_cond, *calls[0])
    assert primitives(j, e.select_elements, j.x > 1, j.x) == ["sin", "mul", "select_n"]


def test_xla_fuses_a_where_and_keeps_a_cond(in_jax) -> None:
    j = in_jax
    for name, kept, absent in (
        ("select_cond", " conditional(", " select("),
        ("select_where", " fusion(", " conditional("),
    ):
        compiled = j.jax.jit(getattr(j.examples, name)).lower(j.jnp.bool_(True), j.x).compile()
        assert kept in compiled.as_text()
        assert absent not in compiled.as_text()


@pytest.mark.parametrize("name", ["select_cond", "select_where", "select_elements"])
def test_torch_makes_one_program_for_both_answers(in_torch, name: str) -> None:
    t = in_torch
    shape = (4,) if name == "select_elements" else ()
    calls = [(predicate.expand(shape), t.x) for predicate in (t.yes, t.no, t.yes)]
    book = ledger(t.graph(getattr(t.examples, name), fullgraph=True), calls)
    assert book.programs == [1, 0, 0]


def test_torch_cond_is_compiled_even_when_called_eagerly(in_torch) -> None:
    from torch._dynamo.utils import counters

    t = in_torch
    before = counters["stats"]["unique_graphs"]
    t.examples.select_cond(t.yes, t.x)
    once = counters["stats"]["unique_graphs"]
    t.examples.select_cond(t.no, t.x)
    assert (once - before, counters["stats"]["unique_graphs"] - once) == (1, 0)


def test_without_jit_jax_compiles_a_cond_anew_for_a_new_function(in_jax, compiled_by_jax) -> None:
    j = in_jax

    def square(x):
        return x * x

    def select_named(predicate, x):
        return j.lax.cond(predicate, j.jnp.sin, square, x)

    for function, compilations in ((j.examples.select_cond, 3), (select_named, 0)):
        function(True, j.x)
        compiled_by_jax.clear()
        for _ in range(3):
            function(True, j.x)
        assert compiled_by_jax == ["jit(cond)"] * compilations


def test_jax_keeps_the_program_of_each_such_call(in_jax) -> None:
    j = in_jax

    def programs():
        gc.collect()
        return len(j.jax.devices()[0].client.live_executables())

    j.examples.select_cond(True, j.x)
    before = programs()
    for _ in range(3):
        j.examples.select_cond(True, j.x)
    assert programs() == before + 3
    j.jax.clear_caches()
    assert programs() < before


def test_jax_runs_one_branch_of_a_cond_and_both_under_vmap(in_jax) -> None:
    j = in_jax
    ran: list[str] = []

    def noting(name, function):
        def branch(x):
            j.jax.debug.callback(lambda: ran.append(name))
            return function(x)

        return branch

    def select(predicate, x):
        return j.lax.cond(predicate, noting("sin", j.jnp.sin), noting("square", j.jnp.square), x)

    j.jax.jit(select)(True, j.x)
    j.jax.effects_barrier()
    assert ran == ["sin"]
    ran.clear()
    j.jax.jit(j.jax.vmap(select))(j.jnp.array([True, True]), j.jnp.ones((2, 4)))
    j.jax.effects_barrier()
    assert set(ran) == {"sin", "square"}


def test_jax_vmap_turns_cond_into_select_unless_the_predicate_is_shared(in_jax) -> None:
    j, cond = in_jax, in_jax.examples.select_cond
    predicates, batch = j.jnp.array([True, False]), j.jnp.ones((2, 4))
    batched = primitives(j, j.jax.vmap(cond), predicates, batch)
    assert {"sin", "mul", "select_n"} <= set(batched)
    assert "cond" not in batched
    assert "cond" in primitives(j, j.jax.vmap(cond, (None, 0)), predicates[0], batch)


def test_jax_map_keeps_the_cond(in_jax) -> None:
    j = in_jax

    def one_by_one(predicates, x):
        return j.lax.map(lambda pair: j.examples.expensive_cond(*pair), (predicates, x))

    text = str(j.jax.make_jaxpr(one_by_one)(j.jnp.array([True, False]), j.jnp.ones((2, 3, 3))))
    assert "cond[" in text
    assert "select_n" not in text


def test_torch_vmap_turns_cond_into_where_unless_the_predicate_is_shared(in_torch) -> None:
    t, vmap = in_torch, in_torch.torch.vmap
    predicates, batch = t.torch.tensor([True, True]), t.torch.ones(2, 4)
    batched = operations(t, vmap(t.examples.select_cond), predicates, batch)
    assert {"aten.sin.default", "aten.mul.Tensor", "aten.where.self"} <= set(batched)
    assert "cond" not in batched
    shared = operations(t, vmap(t.examples.select_cond, in_dims=(None, 0)), t.yes, batch)
    assert "cond" in shared
    assert "aten.where.self" not in shared


def test_torch_vmap_refuses_an_if_and_a_cond_with_two_results(in_torch) -> None:
    t = in_torch
    predicates, batch = t.torch.tensor([True, False]), t.torch.ones(2, 4)
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        t.torch.vmap(t.examples.select_if)(predicates, batch)

    def pair(predicate, x):
        return t.torch.cond(predicate, lambda x: (x + 1, x + 2), lambda x: (x * 2, x * 3), (x,))

    with pytest.raises(t.torch._dynamo.exc.UncapturedHigherOrderOpError, match="unflatten"):
        t.torch.vmap(pair)(predicates, batch)
