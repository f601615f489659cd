"""What vmap refuses, and what is written instead."""

import numpy as np
import pytest

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)
ASKS_FOR_A_NUMBER = {
    "item": lambda x: x * x.sum().item(),
    "float": lambda x: x * float(x.sum()),
    "int": lambda x: x * int(x.sum()),
    "index": lambda x: x * (1, 2)[(x.sum() > 0) * 1],
}


def by_value(x):
    return x if x.sum() > 0 else -x


@pytest.mark.parametrize("name", ASKS_FOR_A_NUMBER)
def test_jax_has_no_python_number_for_all_examples(jax, name: str) -> None:
    errors = jax.errors
    is_index = name == "index"
    error = errors.TracerIntegerConversionError if is_index else errors.ConcretizationTypeError
    with pytest.raises(error):
        jax.vmap(ASKS_FOR_A_NUMBER[name])(jax.numpy.asarray(X))


@pytest.mark.parametrize("name", ASKS_FOR_A_NUMBER)
def test_torch_has_no_python_number_for_all_examples(torch, name: str) -> None:
    with pytest.raises(RuntimeError, match=r"you're calling \.item\(\) on a Tensor"):
        torch.vmap(ASKS_FOR_A_NUMBER[name])(torch.tensor(X))


def test_jax_decides_no_python_if_on_an_example(jax) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.vmap(by_value)(jax.numpy.asarray(X))


def test_torch_decides_no_python_if_on_an_example(torch) -> None:
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        torch.vmap(by_value)(torch.tensor(X))


def test_results_whose_size_depends_on_the_data_are_errors_in_jax(jax) -> None:
    x = jax.numpy.asarray(X)
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.vmap(lambda x: x[x > 0])(x)
    for function in (jax.numpy.nonzero, jax.numpy.unique):
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.vmap(function)(x)


def test_results_whose_size_depends_on_the_data_are_errors_in_torch(torch) -> None:
    for function in (lambda x: x[x > 0], torch.nonzero, torch.unique):
        with pytest.raises(RuntimeError, match="dynamic shape"):
            torch.vmap(function)(torch.tensor(X))
    kept = torch.vmap(lambda x: x.masked_fill(x < 0, 0))(torch.tensor(X))
    assert kept.tolist() == np.maximum(X, 0).tolist()


SOME = np.array([[0, 0, 1], [1, 1, 1]], np.float32)


def test_a_size_of_ones_own_fills_up_and_cuts_off_in_silence_in_jax(jax) -> None:
    (places,) = jax.vmap(lambda x: jax.numpy.nonzero(x, size=2))(SOME)
    assert places.tolist() == [[2, 0], [0, 1]]
    assert jax.vmap(lambda x: jax.numpy.unique(x, size=2))(SOME).tolist() == [[0, 1], [1, 1]]


def test_a_size_of_ones_own_fills_up_and_cuts_off_in_torch(torch) -> None:
    with pytest.warns(UserWarning, match="performance drop"):
        places = torch.vmap(lambda x: torch.nonzero_static(x, size=2))(torch.tensor(SOME))
    assert places.squeeze(-1).tolist() == [[2, -1], [0, 1]]


def test_torch_writes_no_example_into_a_tensor_without_a_batch(torch) -> None:
    x = torch.tensor(X)

    def padded(make, x):
        out = make(x)
        out[:3] = x
        return out

    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        torch.vmap(lambda x: padded(lambda x: torch.zeros(5), x))(x)
    with pytest.raises(RuntimeError, match="output with shape") as caught:
        torch.vmap(lambda x: torch.zeros(3).add_(x))(x)
    assert "vmap" not in str(caught.value)
    found = torch.vmap(lambda x: padded(lambda x: x.new_zeros(5), x))(x)
    assert found[:, :3].tolist() == X.tolist()


def test_torch_writes_what_all_examples_share_and_into_the_caller_s_tensor(torch) -> None:
    shared, mine = torch.zeros(3), torch.tensor(X)
    torch.vmap(lambda x: x + shared.add_(1))(torch.tensor(X))
    assert shared.tolist() == [1, 1, 1]
    torch.vmap(lambda x: x.mul_(2))(mine)
    assert mine.tolist() == (2 * X).tolist()


def test_a_ref_of_jax_without_a_batch_takes_no_example(jax) -> None:
    reference = jax.new_ref(jax.numpy.zeros(3))

    def write(reference, x):
        reference[...] = x
        return reference[...]

    with pytest.raises(Exception, match="unbatched array reference"):
        jax.vmap(lambda x: write(reference, x))(jax.numpy.asarray(X))
    found = jax.vmap(lambda x: write(jax.new_ref(jax.numpy.zeros(3)), x))(jax.numpy.asarray(X))
    assert found.tolist() == X.tolist()
