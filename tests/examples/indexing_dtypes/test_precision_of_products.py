"""Products as a GPU or a TPU may compute them, and what stands in the program."""

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch.elsewhere.recorded import recorded

N = 256


@pytest.fixture
def matrices():
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal((N, N)).astype(np.float32) for _ in range(2))


def error(product, a, b) -> float:
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return float(np.linalg.norm(np.asarray(product) - exact) / np.linalg.norm(exact))


def test_three_products_of_bfloat16_are_near_to_float32_and_tf32_is_not(
    jax, torch, in_jax, in_torch, matrices
) -> None:
    for half, array in ((in_jax, jax.numpy.array), (in_torch, torch.tensor)):
        a, b = map(array, matrices)
        assert 2e-4 < error(half.matmul_tf32(a, b), *matrices) < 4e-4
        assert 3e-6 < error(half.matmul_in_parts(a, b), *matrices) < 6e-6
        if half is in_torch or jax.default_backend() == "cpu":
            assert error(a @ b, *matrices) < 1e-6


def test_one_product_of_bfloat16(jax, matrices) -> None:
    a, b = (jax.numpy.array(m, "bfloat16") for m in matrices)
    wide = jax.numpy.matmul(a, b, preferred_element_type="float32")
    assert 1e-3 < error(wide, *matrices) < 3e-3


def test_the_identity_does_not_give_the_matrix_back(jax, torch, in_jax, in_torch, matrices) -> None:
    for half, array in ((in_jax, jax.numpy.array), (in_torch, torch.tensor)):
        a, one = array(matrices[0]), array(np.eye(N, dtype=np.float32))
        rounded = np.asarray(half.matmul_tf32(a, one))
        assert 5e-4 < np.abs(rounded - matrices[0]).max() < 4e-3
        assert (np.asarray(half.matmul_tf32(array(rounded), one)) == rounded).all()


def test_both_halves_round_to_the_same_numbers(jax, torch, in_jax, in_torch) -> None:
    x = np.float32([1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-20, 1e-40, np.inf, -1.0001])
    one = np.ones((1, 1), np.float32)
    ours = [in_jax.matmul_tf32(jax.numpy.array([[v]]), jax.numpy.array(one)).item() for v in x]
    theirs = [in_torch.matmul_tf32(torch.tensor([[v]]), torch.tensor(one)).item() for v in x]
    assert ours[:3] == theirs[:3] == [1, 1 + 2**-9, 1 + 2**-10]
    assert ours[4:] == theirs[4:]


@pytest.mark.parametrize("platform", ["cpu", "cuda", "tpu"])
def test_the_setting_stands_in_the_program_for_each_device(jax, in_jax, platform) -> None:
    x = jax.ShapeDtypeStruct((4, 4), "float32")
    for function, setting in ((jax.numpy.matmul, "DEFAULT"), (in_jax.matmul_tf32, "HIGHEST")):
        text = jax.jit(function).trace(x, x).lower(lowering_platforms=(platform,)).as_text()
        assert f"precision = [{setting}, {setting}]" in text


def test_a_tpu_gathers_half_the_bytes_of_float32_matrices() -> None:
    found = recorded().programs["parallelism.train_step, all cut by rows"].xla
    bytes_gathered = {
        device: sum(c.bytes for c in one.collectives if c.kind == "all-gather")
        for device, one in found.items()
    }
    assert bytes_gathered["h100"] == 2 * bytes_gathered["v5e"]


def test_a_whole_program_can_ask_for_highest(jax) -> None:
    x = jax.ShapeDtypeStruct((4, 4), "float32")
    with jax.default_matmul_precision("highest"):
        assert "precision = [HIGHEST, HIGHEST]" in jax.jit(lambda x: x @ x).lower(x).as_text()


def test_pytorch_asks_for_float32_in_products_and_not_in_convolutions(torch) -> None:
    assert torch.get_float32_matmul_precision() == "highest"
    assert not torch.backends.cuda.matmul.allow_tf32
    assert torch.backends.cudnn.allow_tf32


@needs_compiler
def test_torch_compile_drops_a_cast_there_and_back(torch) -> None:
    def there_and_back(x):
        return x.bfloat16().float()

    x = torch.full((64,), 1.001)
    assert there_and_back(x).eq(1).all()
    assert torch.compile(there_and_back)(x).equal(x)
    careful = torch.compile(there_and_back, options={"emulate_precision_casts": True})
    assert careful(x).eq(1).all()


def test_jit_keeps_reduce_precision(jax) -> None:
    rounded = jax.jit(lambda x: jax.lax.reduce_precision(x, 8, 7))(jax.numpy.full(64, 1.001))
    assert (rounded == 1).all()


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
