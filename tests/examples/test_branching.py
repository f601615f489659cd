"""What the branching page says of `if`, cond, switch, where, and of decoding without an `if`."""

from types import SimpleNamespace

import numpy as np
import pytest

from jaxvstorch import ledger

KINK = [4.0, 0.0, -1.0]  # positive, at the kink, past it


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX, and this topic's half in it."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.branching import jax as examples

    return SimpleNamespace(
        jax=jax, lax=jax.lax, jnp=jax.numpy, examples=examples, x=jax.numpy.arange(4.0)
    )


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch, and this topic's half in it."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.branching import torch as examples

    def graph(function, **options):
        return torch.compile(function, backend="eager", **options)

    yes, no = torch.tensor(True), torch.tensor(False)
    return SimpleNamespace(
        torch=torch, examples=examples, graph=graph, x=torch.arange(4.0), yes=yes, no=no
    )


def primitives(j, function, *args) -> list[str]:
    """What the jaxpr of a function does, without what it does inside its branches."""
    return [str(eqn.primitive) for eqn in j.jax.make_jaxpr(function)(*args).eqns]


def operations(t, function, *args) -> list[str]:
    """What PyTorch's graph of a function does once vmap has been worked out."""
    from torch._dynamo.backends.common import aot_autograd

    seen: list[str] = []

    def note(graph, inputs):
        seen.extend(str(n.target) for n in graph.graph.nodes if n.op == "call_function")
        return graph.forward

    with t.torch.no_grad():
        backend = aot_autograd(fw_compiler=note)
        t.torch.compile(function, backend=backend, fullgraph=True)(*args)
    return seen


# --- `if` and a Python tuple of functions ---


def test_jax_cannot_decide_an_if_on_a_traced_value(in_jax) -> None:
    j, true = in_jax, in_jax.jnp.bool_(True)
    error = j.jax.errors.TracerBoolConversionError
    with pytest.raises(error, match="Attempted boolean conversion of traced array"):
        j.jax.jit(j.examples.select_if)(true, j.x)
    with pytest.raises(error):
        j.jax.vmap(j.examples.select_if)(true[None], j.x[None])


def test_jax_decides_an_if_while_it_differentiates_without_jit(in_jax) -> None:
    j = in_jax
    slope = j.jax.grad(lambda x: j.examples.select_if(x.sum() > 0, x).sum())(j.x)
    np.testing.assert_allclose(slope, np.cos(np.arange(4)), rtol=1e-6)


def test_jax_cannot_index_a_tuple_with_a_traced_number(in_jax) -> None:
    j = in_jax
    with pytest.raises(j.jax.errors.TracerIntegerConversionError):
        j.jax.jit(j.examples.activate_list)(j.jnp.int32(1), j.x)


def test_torch_splits_the_graph_at_an_if_and_compiles_each_branch_when_taken(in_torch) -> None:
    t = in_torch
    calls = [(t.yes, t.x), (t.yes, t.x), (t.no, t.x), (t.yes, t.x)]
    book = ledger(t.graph(t.examples.select_if), calls)
    assert book.programs == [2, 0, 1, 0]
    assert book.breaks == [1, 0, 0, 0]


def test_torch_explains_the_break_at_an_if(in_torch) -> None:
    t = in_torch
    found = t.torch._dynamo.explain(t.examples.select_if)(t.yes, t.x)
    assert (found.graph_count, found.graph_break_count) == (2, 1)
    assert "generic_jump" in found.break_reasons[0].reason


def test_fullgraph_makes_an_if_on_a_tensor_an_error(in_torch) -> None:
    t = in_torch
    with pytest.raises(t.torch._dynamo.exc.Unsupported, match="Data-dependent branching"):
        t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)


def test_fullgraph_does_not_object_to_what_was_compiled_without_it(in_torch) -> None:
    t = in_torch
    t.graph(t.examples.select_if)(t.yes, t.x)
    t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)  # the earlier code is used again
    t.torch.compiler.reset()
    with pytest.raises(t.torch._dynamo.exc.Unsupported):
        t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)


def test_item_breaks_the_graph_too_and_fullgraph_gives_another_error(in_torch) -> None:
    t = in_torch

    def select_item(x):
        return x + 1 if x.sum().item() > 0 else x - 1

    with pytest.raises(t.torch._dynamo.exc.UserError, match="data-dependent expression"):
        t.graph(select_item, fullgraph=True)(t.x)
    t.torch.compiler.reset()
    assert ledger(t.graph(select_item), [(t.x,)]).breaks == [1]


def test_torch_compiles_a_tuple_of_functions_once_for_each_number(in_torch) -> None:
    t = in_torch
    calls = [(t.torch.tensor(i, dtype=t.torch.int32), t.x) for i in (1, 0, 1, 0)]
    # torch 2.10 says the latter, and blames the tensor's size.
    with pytest.raises(Exception, match=r"specialized integer|Indexing list"):
        t.graph(t.examples.activate_list, fullgraph=True)(*calls[0])
    t.torch.compiler.reset()
    book = ledger(t.graph(t.examples.activate_list), calls)
    assert book.programs == [1, 1, 0, 0]
    assert book.breaks == [1, 0, 0, 0]


# --- cond, switch, where: one program; which branches run ---


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


# --- the rules of the branches ---


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        (lambda x: x[:2], "so the shapes do not match"),
        (lambda x: x.astype(int), "so the dtypes do not match"),
        (lambda x: (x, x), "must have the same pytree structure"),
    ],
    ids=["shape", "dtype", "structure"],
)
def test_jax_wants_branches_of_one_type(in_jax, branch, message: str) -> None:
    j = in_jax
    with pytest.raises(TypeError, match=message):
        j.lax.cond(True, j.jnp.sin, branch, j.x)
    with pytest.raises(TypeError, match=message):
        j.lax.switch(0, [j.jnp.sin, j.jnp.cos, branch], j.x)


def test_jax_traces_both_branches_whatever_the_predicate(in_jax) -> None:
    j, traced = in_jax, []

    def named(name):
        def branch(x):
            traced.append(name)
            return x

        return branch

    j.jax.jit(lambda x: j.lax.cond(True, named("true"), named("false"), x))(j.x)
    assert set(traced) == {"true", "false"}


def test_jax_wants_one_predicate_and_a_whole_index(in_jax) -> None:
    j = in_jax
    with pytest.raises(TypeError, match="Pred must be a scalar"):
        j.lax.cond(j.x > 1, j.jnp.sin, j.jnp.cos, j.x)
    with pytest.raises(TypeError, match="Index type must be an integer"):
        j.lax.switch(1.0, [j.jnp.sin, j.jnp.cos], j.x)


def test_jax_where_broadcasts_and_promotes_and_select_does_not(in_jax) -> None:
    j, mask = in_jax, in_jax.x > 1
    assert j.jnp.where(mask, j.x, 0).dtype == j.jnp.float32
    assert j.jnp.where(mask, j.x, j.jnp.arange(4)).dtype == j.jnp.float32
    with pytest.raises(TypeError, match="same shapes"):
        j.lax.select(mask, j.x, 0.0)
    with pytest.raises(TypeError, match="same dtypes"):
        j.lax.select(mask, j.x, j.jnp.arange(4))


def test_torch_wants_branches_of_one_dtype_rank_and_structure(in_torch) -> None:
    t = in_torch
    error = t.torch._dynamo.exc.TorchRuntimeError
    for branch, message in (
        (lambda x: x.to(t.torch.int64), "expected same dtype"),
        (lambda x: x.sum(), "expected same dim"),
        (lambda x: (x + 1, x + 2), "Unmatched output spec"),
    ):
        with pytest.raises(error, match=message):
            t.torch.cond(t.yes, t.torch.sin, branch, (t.x,))


def test_torch_lets_the_branches_differ_in_length(in_torch) -> None:
    t = in_torch

    def select(predicate, x):
        return t.torch.cond(predicate, t.torch.sin, lambda x: x[:2] + 1, (x,))

    compiled = t.graph(select, fullgraph=True)
    assert [len(compiled(predicate, t.x)) for predicate in (t.yes, t.no)] == [4, 2]


def test_a_branch_in_torch_may_not_return_or_change_its_operand(in_torch) -> None:
    t = in_torch
    error = t.torch._dynamo.exc.UncapturedHigherOrderOpError
    for branch, message in (
        (lambda x: x, "do not support aliasing"),
        (lambda x: x.add_(1) * 2, "do not support input mutation"),
    ):
        with pytest.raises(error, match=message):
            t.torch.cond(t.yes, branch, t.torch.sin, (t.x.requires_grad_(False),))


def test_torch_wants_one_predicate_and_a_boolean_mask(in_torch) -> None:
    t = in_torch
    with pytest.raises(RuntimeError, match="bool or single-element tensor"):
        t.torch.cond(t.x > 1, t.torch.sin, t.torch.cos, (t.x,))
    assert t.torch.cond(True, lambda x: x, lambda x: x.sum(), (t.x,)) is t.x  # no checks at all
    with pytest.raises(RuntimeError, match="condition to be a boolean tensor"):
        t.torch.where(t.x, t.x, t.x)
    assert t.torch.where(t.x > 1, t.x, 0).dtype == t.torch.float32


@pytest.mark.parametrize("name", ["activate_switch", "activate_select"])
def test_a_number_out_of_range_means_the_nearest_branch(in_jax, in_torch, name: str) -> None:
    for half, array in ((in_jax, in_jax.jnp.int32), (in_torch, in_torch.torch.tensor)):
        activate = getattr(half.examples, name)
        for outside, nearest in ((-5, 0), (7, 2)):
            got = np.asarray(activate(array(outside), half.x))
            np.testing.assert_array_equal(got, np.asarray(activate(array(nearest), half.x)))


def test_jax_switch_clamps_its_index_in_the_jaxpr(in_jax) -> None:
    found = primitives(in_jax, in_jax.examples.activate_switch, in_jax.jnp.int32(7), in_jax.x)
    assert found == ["clamp", "cond"]


def test_stacking_and_indexing_needs_the_number_in_a_graph(in_torch) -> None:
    t = in_torch

    def stacked(kind, x):
        return t.torch.stack([t.torch.tanh(x), t.torch.sigmoid(x)])[kind.clamp(0, 1)]

    assert t.torch.equal(stacked(t.torch.tensor(0), t.x), t.torch.tanh(t.x))
    with pytest.raises(t.torch._dynamo.exc.UserError, match="specialized integer"):
        t.graph(stacked, fullgraph=True)(t.torch.tensor(0), t.x)


# --- gradients ---


def test_jax_where_gives_a_nan_gradient_and_a_second_where_cures_it(in_jax) -> None:
    j, x = in_jax, in_jax.jnp.array(KINK)
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        root = getattr(j.examples, name)
        np.testing.assert_array_equal(root(x), [2, 0, 0])
        slope = j.jax.grad(lambda x, root=root: root(x).sum())(x)
        np.testing.assert_array_equal(slope, slopes)


def test_torch_where_gives_a_nan_gradient_and_a_second_where_cures_it(in_torch) -> None:
    t = in_torch
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        x = t.torch.tensor(KINK, requires_grad=True)
        root = getattr(t.examples, name)(x)
        np.testing.assert_array_equal(root.detach(), [2, 0, 0])
        np.testing.assert_array_equal(t.torch.autograd.grad(root.sum(), x)[0], slopes)


def test_cond_has_no_nan_gradient_in_jax_not_even_under_vmap(in_jax) -> None:
    j, x = in_jax, in_jax.jnp.array(KINK)

    def root(x):
        return j.lax.cond(x > 0, j.jnp.sqrt, j.jnp.zeros_like, x)

    assert [float(j.jax.grad(root)(value)) for value in x] == [0.25, 0, 0]
    np.testing.assert_array_equal(j.jax.vmap(j.jax.grad(root))(x), [0.25, 0, 0])


def test_cond_has_no_nan_gradient_in_torch_but_vmap_of_it_has(in_torch) -> None:
    t = in_torch

    def root(x):
        return t.torch.cond(x > 0, t.torch.sqrt, t.torch.zeros_like, (x,))

    def slope(function, x):
        x = x.requires_grad_()
        return t.torch.autograd.grad(function(x).sum(), x)[0]

    assert [slope(root, t.torch.tensor(value)) for value in KINK] == [0.25, 0, 0]
    batched = slope(t.torch.vmap(root), t.torch.tensor(KINK))
    np.testing.assert_array_equal(batched, [0.25, np.nan, np.nan])


def test_torch_cond_has_no_second_derivative(in_torch) -> None:
    t = in_torch

    def root(x):
        return t.torch.cond(x > 0, t.torch.sqrt, t.torch.zeros_like, (x,))

    x = t.torch.tensor(4.0, requires_grad=True)
    (first,) = t.torch.autograd.grad(root(x), x, create_graph=True)
    assert (first, first.requires_grad) == (0.25, False)
    assert t.torch.autograd.functional.hessian(root, x.detach()) == 0  # it is -1/32
    with pytest.raises(AssertionError):  # and torch.func.grad has not even a first one
        t.torch.func.grad(root)(x.detach())


def test_the_gradient_of_a_guarded_log_is_nan_at_the_kink_only(in_jax, in_torch) -> None:
    j, t = in_jax, in_torch
    guarded = j.jax.grad(lambda x: j.jnp.where(x > 0, j.jnp.log(x), 0.0).sum())
    np.testing.assert_array_equal(guarded(j.jnp.array(KINK)), [0.25, np.nan, 0])
    x = t.torch.tensor(KINK, requires_grad=True)
    total = t.torch.where(x > 0, t.torch.log(x), 0.0).sum()
    np.testing.assert_array_equal(t.torch.autograd.grad(total, x)[0], [0.25, np.nan, 0])


# --- decoding ---

SCORES = [[[0, 1, 5], [9, 0, 1]], [[0, 9, 1], [0, 9, 1]]]  # two steps, two sequences, three tokens
TOKENS = [[1, 2, 0, 2], [0, 1, 1, 0]]
KEPT = [[True, True, False, False], [True, True, True, True]]


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_finished_sequence_repeats_its_end_token(request, framework: str) -> None:
    half = request.getfixturevalue(f"in_{framework}")
    array = half.jnp.asarray if framework == "jax" else half.torch.tensor
    finished, tokens = array([False, False]), []
    for scores in SCORES:
        token, finished = half.examples.next_token(array(scores), finished, 2)
        tokens.append(token.tolist())
    assert tokens == [[2, 0], [2, 1]]  # the first has finished: its best score no longer counts
    assert finished.tolist() == [True, False]


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_masks_end_with_the_end_token(request, framework: str) -> None:
    half = request.getfixturevalue(f"in_{framework}")
    array = half.jnp.asarray if framework == "jax" else half.torch.tensor
    kept = half.examples.mask_after_end(array(TOKENS), 2).tolist()
    seen = half.examples.attention_mask(array(TOKENS), 2).tolist()
    assert kept == KEPT
    assert seen[0] == [[True, False, False, False], *[[True, True, False, False]] * 3]
    assert seen[1] == np.tri(4, dtype=bool).tolist()


def test_decoding_compiles_to_one_program_without_a_branch(in_jax, in_torch) -> None:
    scores = np.array(SCORES[0], np.float32)
    args = (in_jax.jnp.asarray(scores), in_jax.jnp.array([False, True]))
    text = str(in_jax.jax.make_jaxpr(in_jax.examples.next_token)(*args, 2))
    assert "cond[" not in text
    assert "select_n" in text
    t = in_torch
    masks = [t.torch.tensor(mask) for mask in ([False, True], [True, False], [True, True])]
    step = t.graph(t.examples.next_token, fullgraph=True)
    assert ledger(step, [(t.torch.tensor(scores), mask, 2) for mask in masks]).programs == [1, 0, 0]


def test_a_vmapped_torch_cond_does_not_compile_with_symbolic_shapes(fresh_torch_compile) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.branching import torch as torch_branching

    compiled = torch.compile(torch_branching.expensive_cond_batch, backend="eager", dynamic=True)
    predicates, matrices = torch.tensor([True, False]), torch.ones(2, 4, 4)
    with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="must be a list of tensors"):
        compiled(predicates, matrices)
