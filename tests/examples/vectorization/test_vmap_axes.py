"""Which axes are batches, and what is said of axes that do not fit."""

import numpy as np
import pytest

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def vmap_and_x(framework):
    """The framework's vmap, and a batch of three."""
    if framework == "jax":
        import jax

        return jax.vmap, jax.numpy.asarray(X)
    import torch

    return torch.vmap, torch.tensor(X)


def both(a, b):
    return a.sum() + b.sum()


def test_the_function_is_called_once_and_sees_one_example(vmap_and_x) -> None:
    vmap, x = vmap_and_x
    shapes = []

    def total(example):
        shapes.append(tuple(example.shape))
        return example.sum()

    assert vmap(total)(x).tolist() == [6, 22, 38]
    assert shapes == [(4,)]


def test_axes_are_counted_from_either_end_and_moved_to_where_out_axes_says(vmap_and_x) -> None:
    vmap, x = vmap_and_x
    assert tuple(vmap(lambda column: column * 2, 1, 1)(x).shape) == (3, 4)
    assert tuple(vmap(lambda column: column * 2, -1, 0)(x).shape) == (4, 3)


def test_a_tree_of_axes_fits_a_tree_of_arguments(vmap_and_x) -> None:
    vmap, x = vmap_and_x

    def predict(model, example):
        return (model["weight"] * example).sum() + model["bias"]

    axes = ({"weight": 0, "bias": None}, None)
    assert vmap(predict, axes)({"weight": x, "bias": x[0, 1]}, x[0]).tolist() == [15, 39, 63]
    shared = vmap(predict, (None, 0))({"weight": x[0], "bias": x[0, 1]}, x)
    assert shared.tolist() == [15, 39, 63]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda vmap, x: vmap(both)(x, x[:2]),
        lambda vmap, x: vmap(both)(x, x[:1]),
        lambda vmap, x: vmap(both, 2)(x, x),
        lambda vmap, x: vmap(both, (0,))(x, x),
        lambda vmap, x: vmap(lambda tree: tree["a"].sum(), ({"b": 0},))({"a": x}),
        lambda vmap, x: vmap(both, (None, None))(x, x),
        lambda vmap, x: vmap(lambda x, scale: x * scale)(x, 2.0),
        lambda vmap, x: vmap(lambda x: x.sum(), 0, None)(x),
        lambda vmap, x: vmap(lambda: x)(),
    ],
    ids=["sizes", "one", "axis", "length", "keys", "nothing", "number", "out none", "no argument"],
)
def test_axes_that_do_not_fit_are_a_value_error(vmap_and_x, wrong) -> None:
    vmap, x = vmap_and_x
    with pytest.raises(ValueError, match="vmap"):
        wrong(vmap, x)


def scaled(x, scale):
    return x * scale


def test_jax_says_of_an_output_axis_that_it_does_not_exist(jax) -> None:
    with pytest.raises(ValueError, match="out of bounds"):
        jax.vmap(jax.numpy.sum, out_axes=1)(X)


def test_torch_says_of_an_output_axis_that_it_does_not_exist(torch) -> None:
    with pytest.raises(IndexError, match="out of range"):
        torch.vmap(torch.sum, out_dims=1)(torch.tensor(X))


def test_jax_takes_lists_of_axes_and_python_results(jax) -> None:
    assert jax.vmap(lambda x: 3)(X).tolist() == [3, 3, 3]
    assert jax.vmap(both, in_axes=[0, 0])(X, X).shape == (3,)


def test_torch_takes_neither_lists_of_axes_nor_python_results(torch) -> None:
    x = torch.tensor(X)
    with pytest.raises(ValueError, match="must only return Tensors"):
        torch.vmap(lambda x: 3)(x)
    with pytest.raises(ValueError, match="in_dims"):
        torch.vmap(both, in_dims=[0, 0])(x, x)


def test_keyword_arguments_are_batched_in_jax(jax) -> None:
    result = jax.vmap(scaled)(jax.numpy.ones((2, 2)), scale=jax.numpy.array([1.0, 2.0]))
    assert result.tolist() == [[1, 1], [2, 2]]


def test_keyword_arguments_are_shared_in_torch(torch) -> None:
    result = torch.vmap(scaled)(torch.ones(2, 2), scale=torch.tensor([1.0, 2.0]))
    assert result.tolist() == [[1, 2], [1, 2]]


def test_an_ensemble_of_modules_is_stacked_and_called_with_a_part(torch) -> None:
    layers = [torch.nn.Linear(4, 2) for _ in range(3)]
    parameters, _ = torch.func.stack_module_state(layers)
    x = torch.tensor(X[0])

    def call(parameters, x):
        return torch.func.functional_call(layers[0], parameters, (x,))

    found = torch.vmap(call, in_dims=(0, None))(parameters, x)
    torch.testing.assert_close(found, torch.stack([layer(x) for layer in layers]))
