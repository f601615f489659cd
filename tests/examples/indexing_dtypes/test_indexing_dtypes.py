"""How the topic's functions round, and a gradient that Inductor cannot compile."""

import numpy as np
import pytest
from needs import needs_compiler


def test_both_halves_round_to_the_same_numbers(jax, torch, in_jax, in_torch) -> None:
    x = np.float32([1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-20, 1e-40, np.inf, -1.0001])
    one = np.ones((1, 1), np.float32)
    ours = [in_jax.matmul_tf32(jax.numpy.array([[v]]), jax.numpy.array(one)).item() for v in x]
    theirs = [in_torch.matmul_tf32(torch.tensor([[v]]), torch.tensor(one)).item() for v in x]
    assert ours[:3] == theirs[:3] == [1, 1 + 2**-9, 1 + 2**-10]
    assert ours[4:] == theirs[4:]


@pytest.mark.parametrize("platform", ["cpu", "cuda", "tpu"])
def test_products_of_rounded_matrices_ask_for_highest_on_each_device(jax, in_jax, platform) -> None:
    x = jax.ShapeDtypeStruct((4, 4), "float32")
    program = jax.jit(in_jax.matmul_tf32).trace(x, x).lower(lowering_platforms=(platform,))
    assert "precision = [HIGHEST, HIGHEST]" in program.as_text()


@needs_compiler
def test_inductor_fails_on_the_gradient_of_columns_of_a_single_one(torch, in_torch) -> None:
    columns = torch.zeros(4, dtype=torch.int32)

    def gradient(width):
        x = torch.ones(2, 3, width, requires_grad=True)
        torch.compile(in_torch.take_columns)(x, columns).sum().backward()
        return x.grad

    assert gradient(2).sum() == 12
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed):
        gradient(1)
