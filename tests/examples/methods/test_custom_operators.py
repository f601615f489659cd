"""Operators of one's own in PyTorch: what the compiler must be told of them."""

import itertools

import numpy as np
import pytest
from method_programs import programs
from needs import needs_compiler

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")
numbers = itertools.count()


@pytest.fixture
def x(torch):
    return torch.arange(4.0)


@pytest.fixture
def define(torch):
    """Defines an operator in a namespace of its own, which is gone after the test."""
    library = []

    def make(function, mutates_args=(), fake=None):
        name = f"jaxvstorch_test_{next(numbers)}::operator"
        made = torch.library.custom_op(name, function, mutates_args=mutates_args)
        if fake:
            made.register_fake(fake)
        library.append(made)
        return made

    yield make
    for made in library:
        made._lib._destroy()


@pytest.fixture
def sine(torch, define):
    """NumPy's sine, with what is needed to compile it."""

    def look_up(x: torch.Tensor) -> torch.Tensor:
        look_up.calls += 1
        return torch.from_numpy(np.sin(x.numpy(force=True)))

    look_up.calls = 0
    made = define(look_up, fake=torch.empty_like)
    made.function = look_up
    return made


def test_an_operator_stays_in_the_graph(torch, in_torch, x) -> None:
    for function in (in_torch.calibrated_host, in_torch.calibrated_host_slope, in_torch.recorded):
        compiled = torch.compile(function, backend="eager", fullgraph=True)
        assert programs(torch, compiled, (x,), (x,)) == [1, 0]


def test_without_a_fake_dynamo_does_not_know_its_result(torch, define, x) -> None:
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    operator = define(doubled)
    assert operator(x)[1] == 2
    for fullgraph in (False, True):
        torch.compiler.reset()
        compiled = torch.compile(lambda x: operator(x), backend="eager", fullgraph=fullgraph)
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="no fake impl registered"):
            compiled(x)


def test_without_a_rule_it_has_no_gradient(torch, sine, x) -> None:
    x = x.requires_grad_()
    message = "no autograd formula was registered"
    with pytest.raises(RuntimeError, match=message):
        sine(x).sum().backward()
    compiled = torch.compile(lambda x: sine(x), backend="aot_eager", fullgraph=True)
    with (
        pytest.warns(UserWarning, match="Error detected in"),
        pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=message),
    ):
        compiled(x)


def test_its_tangent_in_forward_mode_is_zero(torch, in_torch, sine, x) -> None:
    for operator in (sine, in_torch._curve):
        assert torch.func.jvp(operator, (x,), (torch.ones(4),))[1].tolist() == [0, 0, 0, 0]


def test_torch_func_does_not_take_its_rule(torch, in_torch, x) -> None:
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        torch.func.grad(lambda x: in_torch._curve(x).sum())(x)


def test_opcheck_finds_what_is_missing_or_wrong(torch, define, in_torch, sine, x) -> None:
    def changing(x: torch.Tensor) -> torch.Tensor:
        return x.add_(1).clone()

    def shorter(x: torch.Tensor) -> torch.Tensor:
        return x[:2].clone()

    check = torch.library.opcheck
    needs_gradient = (x.clone().requires_grad_(),)
    assert set(check(in_torch._curve, needs_gradient).values()) == {"SUCCESS"}
    assert set(check(sine, (x,)).values()) == {"SUCCESS"}
    for operator, arguments, message in (
        (sine, needs_gradient, "no autograd formula was registered"),
        (define(changing, fake=torch.empty_like), (x.clone(),), "not defined as mutable"),
        (define(shorter, fake=torch.empty_like), (x,), "mismatched tensor metadata"),
    ):
        with pytest.raises(Exception, match=message):
            check(operator, arguments)


@needs_compiler
def test_a_fake_that_is_wrong_is_found_by_inductor_alone(torch, define, x) -> None:
    def shorter(x: torch.Tensor) -> torch.Tensor:
        return x[:2].clone()

    operator = define(shorter, fake=torch.empty_like)
    for backend in ("eager", "aot_eager"):
        torch.compiler.reset()
        assert torch.compile(lambda x: operator(x), backend=backend)(x).shape == (2,)
    torch.compiler.reset()
    with pytest.raises(AssertionError, match=r"expected size 2==4[\s\S]*incorrect fake"):
        torch.compile(lambda x: operator(x) + 1)(x)


@pytest.fixture
def recorders(torch, define):
    """Operators that keep a sum and return nothing, by what is declared of them."""
    seen = []

    def keep(x: torch.Tensor) -> None:
        seen.append(float(x.sum()))

    made = {mutates: define(keep, mutates, lambda x: None) for mutates in ((), "unknown", ("x",))}
    made["effect"] = define(keep, fake=lambda x: None)
    made["effect"].register_effect(torch.library.EffectType.ORDERED)
    return made, seen


def test_one_whose_result_is_not_used_is_dropped_unless_an_effect_is_declared(
    torch, recorders, x
) -> None:
    made, seen = recorders
    of_input, of_sum = {}, {}
    for found, argument in ((of_input, lambda x: x), (of_sum, lambda x: x.sum())):
        for declared, operator in made.items():
            torch.compiler.reset()
            seen.clear()

            def function(x, operator=operator, argument=argument):
                operator(argument(x))
                return x + 1

            torch.compile(function, backend="aot_eager", fullgraph=True)(x)
            found[declared] = len(seen)
    assert of_input == {(): 0, "unknown": 1, ("x",): 1, "effect": 1}
    # What it would have written into is used by nothing, so writing is not enough.
    assert of_sum == {(): 0, "unknown": 0, ("x",): 0, "effect": 1}


def test_an_operator_with_an_effect_lets_gradients_through_and_no_batches(
    torch, recorders, x
) -> None:
    made, seen = recorders

    def function(x):
        made["effect"](x.sum())
        return (2 * x).sum()

    x.requires_grad_()
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    (gradient,) = torch.autograd.grad(compiled(x), x)
    assert gradient.tolist() == [2, 2, 2, 2]
    assert seen == [6]
    with pytest.raises(RuntimeError, match="Batching rule not implemented"):
        torch.vmap(function)(torch.ones(2, 3))


def test_one_that_is_not_used_is_called_by_backend_eager(torch, sine, x) -> None:
    for backend, calls in (("eager", 1), ("aot_eager", 0)):
        torch.compiler.reset()
        sine.function.calls = 0
        torch.compile(lambda x: (sine(x), x + 1)[1], backend=backend, fullgraph=True)(x)
        assert sine.function.calls == calls


def test_an_operator_may_not_return_its_argument(torch, define, x) -> None:
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    with pytest.raises(RuntimeError, match=r"must not also be an input[\s\S]*x\.clone\(\)"):
        define(same)(x)


def test_an_operator_needs_annotations(torch, define) -> None:
    with pytest.raises(ValueError, match="Parameter x must have a type annotation"):
        torch.library.custom_op("jaxvstorch_test::bare", lambda x: x, mutates_args=())


def test_the_second_of_one_name_takes_the_place_of_the_first(torch, x) -> None:
    def once(x: torch.Tensor) -> torch.Tensor:
        return 1 * x

    def twice(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    name = "jaxvstorch_test_again::operator"
    first = torch.library.custom_op(name, once, mutates_args=())
    second = torch.library.custom_op(name, twice, mutates_args=())
    assert (second(x)[1], torch.ops.jaxvstorch_test_again.operator(x)[1]) == (2, 2)
    del first
    second._lib._destroy()


def test_recorded_records_each_call(torch, in_torch, x) -> None:
    in_torch.sums.clear()
    compiled = torch.compile(in_torch.recorded, backend="aot_eager", fullgraph=True)
    for scale in (1, 2, 3):
        compiled(scale * x)
    assert list(in_torch.sums) == [6, 12, 18]
    in_torch.sums.clear()


def test_vmap_loops_over_the_examples_unless_there_is_a_rule(torch, define, x) -> None:
    shapes = []

    def doubled(x: torch.Tensor) -> torch.Tensor:
        shapes.append(tuple(x.shape))
        return 2 * x

    operator, batch = define(doubled, fake=torch.empty_like), torch.ones(3, 2)
    assert torch.equal(torch.vmap(operator)(batch), 2 * batch)
    assert shapes == [(2,)] * 3
    operator.register_vmap(lambda info, in_dims, x: (operator(x), in_dims[0]))
    shapes.clear()
    torch.vmap(operator)(batch)
    assert shapes == [(3, 2)]
