"""What has no derivative, and which error says so."""

import pytest


def test_a_gradient_belongs_to_one_number(jax, torch) -> None:
    for shape in (1, 3):
        with pytest.raises(TypeError, match="only defined for scalar-output functions"):
            jax.grad(jax.numpy.sin)(jax.numpy.ones(shape))
        with pytest.raises(RuntimeError, match="to return a scalar Tensor"):
            torch.func.grad(torch.sin)(torch.ones(shape))
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        torch.sin(torch.ones(3, requires_grad=True)).backward()


def test_backward_takes_an_array_of_one_number(torch) -> None:
    x = torch.ones(1, requires_grad=True)
    torch.sin(x).backward()
    assert x.grad == torch.cos(torch.ones(1))


def test_a_tuple_has_no_gradient(jax, torch) -> None:
    with pytest.raises(TypeError, match="only defined for scalar-output functions"):
        jax.grad(lambda x: (x, x))(1.0)
    with pytest.raises(RuntimeError, match="to return a Tensor, got <class 'tuple'>"):
        torch.func.grad(lambda x: (x, x))(torch.tensor(1.0))


def test_an_integer_has_no_gradient(jax, torch) -> None:
    with pytest.raises(TypeError, match="requires real- or complex-valued inputs"):
        jax.grad(lambda x: 2.0 * x)(3)
    with pytest.raises(RuntimeError, match="floating point and complex dtype"):
        torch.tensor(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="floating point dtype can require"):
        torch.func.grad(lambda x: 2.0 * x)(torch.tensor(3))


def test_an_integer_result_is_an_error_in_jax_and_has_zeros_in_torch_func(jax, torch) -> None:
    with pytest.raises(TypeError, match="requires real-valued outputs"):
        jax.grad(lambda x: (x > 1).sum())(jax.numpy.ones(3))
    assert torch.func.grad(lambda x: (x > 1).sum())(torch.ones(3)).tolist() == [0, 0, 0]


def test_float0_holds_nothing(jax) -> None:
    alone = jax.grad(lambda x: 2.0 * x, allow_int=True)(3)
    of_vjp, _ = jax.vjp(lambda i, x: i * x, 3, 2.0)[1](1.0)
    assert alone.dtype == of_vjp.dtype == jax.dtypes.float0
    with pytest.raises(TypeError, match="ufunc 'add'"):
        alone + 1.0


def test_a_graph_goes_back_once_unless_it_is_retained(torch) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    loss = x**3
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad == 24
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()
    total = x + x  # saves nothing
    total.backward()
    total.backward()


def test_create_graph_is_for_second_derivatives(torch) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    assert torch.autograd.grad(first, x) == (12,)


def test_without_requires_grad_there_is_no_graph(torch) -> None:
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        (torch.ones(3) ** 2).sum().backward()


def test_what_was_saved_and_what_is_a_leaf_may_not_change(torch) -> None:
    leaf = torch.ones(3, requires_grad=True)
    saved = leaf.exp()
    saved += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saved.sum().backward()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        leaf += 1


def test_a_plain_number_is_a_constant_in_torch_and_mostly_an_error_in_jax(jax, torch) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    for number in (x.item(), x.tolist()):
        assert torch.autograd.grad(number * x, x) == (3,)
    for number in (float, lambda x: x.tolist()):
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.grad(lambda x, number=number: number(x) * x)(3.0)


def test_item_and_int_are_silent_constants_in_jax_outside_jit(jax) -> None:
    for number in (int, lambda x: x.item()):
        slope = jax.grad(lambda x, number=number: number(x) * x)
        assert slope(3.0) == 3
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(slope)(3.0)
