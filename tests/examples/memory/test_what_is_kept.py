"""What four ways to write one network keep for the backward pass, and compute again."""

import pytest
from memory_counts import allocated, gradient, shapes, temporary, torch_gradient

DEPTH, BATCH, WIDTH = 16, 64, 16
LAYER = 4 * BATCH * WIDTH  # bytes of one layer's input
WEIGHTS = 4 * DEPTH * WIDTH * WIDTH
NAMES = "layers", "layers_rematerialized", "layers_saving_products", "layers_in_segments"


def count(jaxpr, name: str) -> int:
    """How often a program runs a primitive; what a scan repeats counts so often."""
    found = 0
    for equation in jaxpr.eqns:
        found += equation.primitive.name == name
        times = equation.params["length"] if equation.primitive.name == "scan" else 1
        for value in equation.params.values():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                found += times * count(inner, name)
    return found


@pytest.mark.parametrize(("name", "arrays"), [*zip(NAMES, (4, 1, 2, 0.25), strict=True)])
def test_jax_keeps_so_many_arrays_for_each_layer(jax, in_jax, name, arrays) -> None:
    arguments = jax.numpy.ones((BATCH, WIDTH)), jax.numpy.ones((DEPTH, WIDTH, WIDTH))
    _, back = jax.vjp(getattr(in_jax, name), *arguments)
    kept = sum(array.nbytes for array in jax.tree.leaves(back))
    assert kept - WEIGHTS == arrays * DEPTH * LAYER


@pytest.mark.parametrize(("name", "arrays"), [*zip(NAMES, (2, 1, 2, 0.25), strict=True)])
def test_torch_keeps_so_many_after_the_forward_pass(torch, in_torch, name, arrays) -> None:
    x = torch.ones(BATCH, WIDTH, requires_grad=True)
    weights = torch.ones(DEPTH, WIDTH, WIDTH, requires_grad=True)
    _, left = allocated(torch, getattr(in_torch, name), x, weights)
    # x is there already and the result is new; a checkpoint also keeps the random state.
    assert 0 <= left - arrays * DEPTH * LAYER < 10_000 * DEPTH * arrays


@pytest.mark.parametrize(("name", "products"), [*zip(NAMES, (3, 4, 3, 4), strict=True)])
def test_jax_multiplies_so_often_for_each_layer(jax, in_jax, name, products) -> None:
    arguments = shapes(jax, (BATCH, WIDTH), (DEPTH, WIDTH, WIDTH))
    program = jax.make_jaxpr(gradient(jax, getattr(in_jax, name), 2))(*arguments)
    assert count(program.jaxpr, "dot_general") == products * DEPTH
    assert count(program.jaxpr, "logistic") == (1 if name == "layers" else 2) * DEPTH


@pytest.mark.parametrize(("name", "products"), [*zip(NAMES, (3, 4, 3, 4), strict=True)])
def test_torch_multiplies_so_often_for_each_layer(torch, in_torch, name, products) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    run = torch_gradient(
        torch, getattr(in_torch, name), torch.ones(BATCH, WIDTH), torch.ones(DEPTH, WIDTH, WIDTH)
    )
    with FlopCounterMode(display=False) as counter:
        run()
    assert counter.get_total_flops() == products * DEPTH * 2 * BATCH * WIDTH * WIDTH


def test_segments_need_less_than_layers_where_there_are_many(jax, torch, in_jax, in_torch) -> None:
    arguments = (8 * BATCH, WIDTH), (64, WIDTH, WIDTH)
    for need in (
        lambda name: temporary(
            jax, gradient(jax, getattr(in_jax, name), 2), *shapes(jax, *arguments)
        ),
        lambda name: allocated(
            torch, torch_gradient(torch, getattr(in_torch, name), *map(torch.ones, arguments))
        )[0],
    ):
        plain, by_layer, by_segment = (need(NAMES[place]) for place in (0, 1, 3))
        assert by_segment < by_layer < plain


def test_the_hooks_do_not_see_what_a_selective_checkpoint_saves(torch, in_torch) -> None:
    def seen(name):
        x = torch.ones(BATCH, WIDTH, requires_grad=True)
        weights = torch.ones(DEPTH, WIDTH, WIDTH, requires_grad=True)
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            getattr(in_torch, name)(x, weights)
        return len(packed)

    assert seen("layers_saving_products") == seen("layers_rematerialized") < seen("layers")


def test_jax_prints_what_is_saved(jax, in_jax, capsys) -> None:
    from jax.ad_checkpoint import print_saved_residuals

    layer = jax.checkpoint(in_jax._layer, policy=jax.checkpoint_policies.dots_saveable)
    arguments = jax.numpy.ones((BATCH, WIDTH)), jax.numpy.ones((WIDTH, WIDTH))
    print_saved_residuals(layer, *arguments)
    assert "output of dot_general" in capsys.readouterr().out
    print_saved_residuals(jax.checkpoint(in_jax._layer), *arguments)
    assert "output of" not in capsys.readouterr().out


def test_a_checkpoint_around_everything_saves_nothing(jax, in_jax) -> None:
    arguments = shapes(jax, (BATCH, WIDTH), (DEPTH, WIDTH, WIDTH))
    plain, whole, by_layer = (
        temporary(jax, gradient(jax, function, 2), *arguments)
        for function in (
            in_jax.layers,
            jax.checkpoint(in_jax.layers),
            in_jax.layers_rematerialized,
        )
    )
    assert whole > 0.9 * plain
    assert by_layer < 0.6 * plain


def test_torch_notices_another_shape_in_the_second_forward_pass_and_no_other_value(torch) -> None:
    from torch.utils.checkpoint import CheckpointError, checkpoint

    def gradient_of(function):
        w = torch.full((1,), 0.1, requires_grad=True)
        checkpoint(function, w, use_reentrant=False).sum().backward()
        return w.grad.item()

    sizes, factors = iter([2, 3]), iter([1.0, 100.0])
    with pytest.raises(CheckpointError, match="different metadata"):
        gradient_of(lambda x: torch.exp(x.repeat(next(sizes))))
    assert gradient_of(lambda x: torch.exp(x * next(factors))) > 1000  # 1.1 would be right


def test_jax_calls_a_checkpointed_function_once(jax) -> None:
    calls = []

    @jax.checkpoint
    def counted(x):
        calls.append(x)
        return jax.numpy.exp(x)

    jax.grad(counted)(0.1)
    assert len(calls) == 1
