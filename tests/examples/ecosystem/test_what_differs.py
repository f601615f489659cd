"""Where what is in the box of both means something else, or checks something else."""

import subprocess
import sys

import numpy as np
import pytest


def test_jax_gives_a_density_for_a_scale_that_eager_torch_refuses(
    jax, in_jax, torch, monkeypatch
) -> None:
    # Some test before this one may have called torch.compile.
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    zero, minus = np.zeros(1, np.float32), -np.ones(1, np.float32)
    assert np.isfinite(in_jax.normal_log_density(zero, zero, minus)).all()
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        torch.distributions.Normal(torch.tensor(zero), torch.tensor(minus))


@pytest.mark.parametrize("compiles", [True, False])
def test_the_first_compile_of_a_process_turns_the_checks_of_eager_distributions_off(
    torch, compiles: bool
) -> None:
    lines = [
        "import torch",
        "torch.compile(torch.sin, backend='eager')" if compiles else "torch.vmap(torch.sin)",
        "torch.distributions.Normal(0.0, -1.0)",
    ]
    command = [sys.executable, "-W", "ignore", "-c", "\n".join(lines)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert ("to satisfy the constraint GreaterThan" in done.stderr) != compiles
    assert (done.returncode == 0) == compiles


def test_validate_args_checks_all_the_same(torch, monkeypatch) -> None:
    normal = torch.distributions.Normal
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", False)
    assert normal(0.0, -1.0).scale == -1
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        normal(0.0, -1.0, validate_args=True)


def test_a_compiled_distribution_does_not_check_its_scale(torch, in_torch) -> None:
    compiled = torch.compile(in_torch.normal_log_density, backend="eager", fullgraph=True)
    assert compiled(torch.zeros(1), torch.zeros(1), -torch.ones(1)).isnan().all()


@pytest.mark.parametrize("outside", [2, -1])
def test_jax_leaves_out_a_segment_that_there_is_not_and_torch_raises(
    jax, in_jax, torch, in_torch, outside: int
) -> None:
    values, segments = np.ones((2, 1), np.float32), np.int32([0, outside])
    found = in_jax.segment_sum(jax.numpy.asarray(values), jax.numpy.asarray(segments), 2)
    np.testing.assert_array_equal(found, [[1], [0]])
    with pytest.raises((IndexError, RuntimeError), match="out of "):
        in_torch.segment_sum(torch.tensor(values), torch.tensor(segments), 2)


def test_a_class_that_there_is_not_is_nan_in_jax_and_an_error_in_torch(
    jax, in_jax, torch, in_torch
) -> None:
    assert np.isnan(in_jax.cross_entropy(jax.numpy.zeros((2, 3)), jax.numpy.array([0, 5])))
    with pytest.raises(IndexError, match="out of bounds"):
        in_torch.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 5]))


def test_torch_leaves_out_the_class_minus_100(jax, in_jax, torch, in_torch) -> None:
    scores, labels = np.float32([[1, 0], [0, 4]]), [0, -100]
    found = in_torch.cross_entropy(torch.tensor(scores), torch.tensor(labels))
    alone = in_torch.cross_entropy(torch.tensor(scores[:1]), torch.tensor(labels[:1]))
    assert found == alone
    assert np.isnan(in_jax.cross_entropy(jax.numpy.asarray(scores), jax.numpy.array(labels)))


def test_jax_counts_a_negative_class_from_the_end_and_nothing_tells(
    jax, in_jax, torch, in_torch
) -> None:
    optax = pytest.importorskip("optax")
    scores = np.random.default_rng(0).standard_normal((1, 1000)).astype(np.float32)
    by_name = optax.softmax_cross_entropy_with_integer_labels
    for label in (-1, -100):
        labels, same = jax.numpy.array([label]), jax.numpy.array([1000 + label])
        assert in_jax.cross_entropy(scores, labels) == in_jax.cross_entropy(scores, same)
        assert by_name(scores, labels) == by_name(scores, same)
    with pytest.raises(IndexError, match="Target -1 is out of bounds"):
        in_torch.cross_entropy(torch.tensor(scores), torch.tensor([-1]))


def test_a_class_that_there_is_not_has_gradient_zero_in_jax(jax, in_jax) -> None:
    labels = jax.numpy.array([0, 5])
    found = jax.grad(in_jax.cross_entropy)(jax.numpy.zeros((2, 3)), labels)
    assert np.isfinite(found).all()
    assert not found[1].any()


def test_standardize_loses_a_row_far_from_zero_unless_it_is_stable(jax, in_jax, torch) -> None:
    row = np.float32([[10000, 10001, 10002, 10003]])
    exact = torch.nn.functional.layer_norm(torch.tensor(row), (4,)).numpy()
    assert np.abs(jax.nn.standardize(row) - exact).max() > 100
    ones, zeros = np.ones(4, np.float32), np.zeros(4, np.float32)
    found = in_jax.layer_norm(*map(jax.numpy.asarray, (row, ones, zeros)))
    np.testing.assert_allclose(found, exact, atol=1e-3)


def test_of_complex_numbers_numpy_conjugates_the_kernel_and_torch_does_not(torch) -> None:
    signal, kernel = np.complex64([1, 1j, 2]), np.complex64([1, 1j])
    found = torch.nn.functional.conv1d(
        torch.tensor(signal)[None, None], torch.tensor(kernel)[None, None]
    )
    np.testing.assert_allclose(found[0, 0], np.correlate(signal, kernel.conj(), "valid"))
    assert np.abs(found[0, 0].numpy() - np.correlate(signal, kernel, "valid")).max() > 1


def test_torch_convolves_without_turning_the_kernel(jax, torch, in_torch) -> None:
    signal, kernel = np.float32([0, 0, 1, 0, 0]), np.float32([1, 2, 3])
    np.testing.assert_array_equal(jax.numpy.convolve(signal, kernel, "same"), [0, 1, 2, 3, 0])
    signal, kernel = torch.tensor(signal), torch.tensor(kernel)
    plain = torch.nn.functional.conv1d(signal[None, None], kernel[None, None], padding="same")
    assert plain.flatten().tolist() == [0, 3, 2, 1, 0]
    assert in_torch.convolve_same(signal, kernel).tolist() == [0, 1, 2, 3, 0]


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths:UserWarning")
def test_of_an_even_kernel_the_middle_is_one_further_in_torch(in_jax, torch, in_torch) -> None:
    signal, kernel = np.float32([0, 0, 1, 0, 0]), np.float32([1, 2])
    assert in_jax.convolve_same(signal, kernel).tolist() == [0, 0, 1, 2, 0]
    assert in_torch.convolve_same(torch.tensor(signal), torch.tensor(kernel)).tolist() == [
        *(0, 1, 2, 0, 0)
    ]


def test_jax_differentiates_the_equation_and_torch_the_steps(jax, in_jax, torch, in_torch) -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((8, 8)).astype(np.float32) / 8**0.5
    matrix, target = root @ root.T + np.eye(8, dtype=np.float32), np.ones(8, np.float32)
    weights = rng.standard_normal(8).astype(np.float32)
    one_step = jax.grad(lambda b: weights @ in_jax.solve_cg(matrix, b, 1))(target)
    # One step for the equation of the gradient, begun anew with the weights as its right-hand side.
    np.testing.assert_allclose(one_step, in_jax.solve_cg(matrix, weights, 1), rtol=1e-4)
    x = torch.tensor(target, requires_grad=True)
    found = torch.tensor(weights) @ in_torch.solve_cg(torch.tensor(matrix), x, 1)
    (of_steps,) = torch.autograd.grad(found, x)
    assert np.abs(of_steps.numpy() - one_step).max() > 0.01


def test_steps_past_the_answer_are_nan_in_torch_and_not_in_jax(
    jax, in_jax, torch, in_torch
) -> None:
    matrix, target = np.eye(2, dtype=np.float32), np.ones(2, np.float32)
    np.testing.assert_array_equal(in_jax.solve_cg(matrix, target, 3), target)
    assert in_torch.solve_cg(torch.tensor(matrix), torch.tensor(target), 3).isnan().all()
    matrix = np.float32([[4, 1], [1, 3]])
    answer = np.linalg.solve(matrix, target)
    np.testing.assert_allclose(in_jax.solve_cg(matrix, target, 50), answer, rtol=1e-5)
    assert in_torch.solve_cg(torch.tensor(matrix), torch.tensor(target), 50).isnan().all()


def test_attention_has_its_heads_in_another_place(jax, torch) -> None:
    x = np.random.default_rng(0).standard_normal((1, 3, 2, 4)).astype(np.float32)
    in_jax = jax.nn.dot_product_attention(x, x, x)
    attend = torch.nn.functional.scaled_dot_product_attention
    y = torch.tensor(x)
    other = attend(y, y, y)
    assert other.shape == in_jax.shape
    assert np.abs(other.numpy() - in_jax).max() > 0.1
    y = y.transpose(1, 2)
    np.testing.assert_allclose(attend(y, y, y).transpose(1, 2), in_jax, atol=1e-6)


def test_jax_attention_takes_its_softmax_in_float32_and_torch_does_not(jax, torch) -> None:
    x = np.random.default_rng(0).standard_normal((1, 3, 2, 4))
    with jax.enable_x64(True):
        in_jax = jax.nn.dot_product_attention(*map(jax.numpy.asarray, (x, x, x)))
        scores = jax.numpy.einsum("bqhf,bkhf->bhqk", x, x) / 2
        answer = jax.numpy.einsum("bhqk,bkhf->bqhf", jax.nn.softmax(scores), x)
        assert in_jax.dtype == answer.dtype == np.float64
        assert 1e-9 < np.abs(in_jax - answer).max() < 1e-6
    y = torch.tensor(x).transpose(1, 2)
    in_torch = torch.nn.functional.scaled_dot_product_attention(y, y, y).transpose(1, 2)
    assert np.abs(in_torch.numpy() - np.asarray(answer)).max() < 1e-14


def test_a_step_by_hand_is_that_of_torch_optim_and_of_optax(jax, in_jax, torch, in_torch) -> None:
    optax = pytest.importorskip("optax")
    start, slope = np.float32([1, 2]), np.float32([0.1, -0.2])
    parameter = torch.nn.Parameter(torch.tensor(start))
    parameter.grad = torch.tensor(slope)
    torch.optim.Adam([parameter]).step()
    adam = optax.adam(1e-3)
    change, _ = adam.update(slope, adam.init(start))
    zero = np.zeros(2, np.float32)
    by_hand, *_ = in_jax.adam_step(*map(jax.numpy.asarray, (start, slope, zero, zero, np.int32(1))))
    for found in (parameter.detach(), optax.apply_updates(start, change)):
        np.testing.assert_allclose(found, by_hand, rtol=1e-6)
    arguments = (*map(torch.tensor, (start, slope, zero, zero)), torch.tensor(1))
    np.testing.assert_allclose(in_torch.adam_step(*arguments)[0], by_hand, rtol=1e-6)


def test_a_divergence_compiles_once_its_formula_was_found(torch, monkeypatch) -> None:
    from torch.distributions import Normal, kl, kl_divergence

    monkeypatch.setattr(kl, "_KL_MEMOIZE", {})

    def divergence(mean):
        return kl_divergence(Normal(mean, 1.0), Normal(0.0, 1.0))

    compiled = torch.compile(divergence, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="min"):
        compiled(torch.tensor(2.0))
    torch.compiler.reset()
    in_parts = torch.compile(divergence, backend="eager")
    assert in_parts(torch.tensor(2.0)) == compiled(torch.tensor(2.0)) == 2


def test_the_divergence_of_two_multivariate_normals_does_not_compile(torch) -> None:
    from torch.distributions import MultivariateNormal, kl_divergence

    def divergence(mean):
        unit = torch.eye(2)
        return kl_divergence(MultivariateNormal(mean, unit), MultivariateNormal(mean, unit))

    assert divergence(torch.zeros(2)) == 0
    for fullgraph in (True, False):
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="_infer_size"):
            torch.compile(divergence, backend="eager", fullgraph=fullgraph)(torch.zeros(2))


def test_jax_warns_where_its_process_is_forked_as_workers_of_a_loader_are(jax) -> None:
    lines = [
        "import os, jax",
        "jax.numpy.ones(1)",
        "child = os.fork()",
        "os._exit(0) if not child else os.waitpid(child, 0)",
    ]
    command = [sys.executable, "-W", "always", "-c", "\n".join(lines)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert "JAX is multithreaded, so this will likely lead to a deadlock" in done.stderr
