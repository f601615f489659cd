"""What the settings of matrix products change in a program, and in a result on a CPU."""

import re

import numpy as np
import pytest

from jaxvstorch import ledger


@pytest.fixture
def a(jax):
    return jax.numpy.asarray(np.random.default_rng(0).standard_normal((64, 64)), "float32")


def precision(jax, a, setting) -> str:
    """What the lowered program says of its product."""
    with jax.default_matmul_precision(setting):
        text = jax.jit(lambda a: a @ a).lower(a).as_text()
    (found,) = re.findall(r"precision = \[(\w+), \w+\]", text)
    return found


def test_the_settings_of_jax_are_three(jax, a) -> None:
    for setting, expected in {
        None: "DEFAULT",
        "default": "DEFAULT",
        "bfloat16": "DEFAULT",
        "high": "HIGH",
        "tensorfloat32": "HIGH",
        "highest": "HIGHEST",
        "float32": "HIGHEST",
    }.items():
        assert precision(jax, a, setting) == expected


def test_the_argument_goes_before_the_setting(jax, a) -> None:
    jnp = jax.numpy
    with jax.default_matmul_precision("high"):
        text = jax.jit(lambda a: jnp.dot(a, a, precision="highest")).lower(a).as_text()
    assert "precision = [HIGHEST, HIGHEST]" in text


def test_an_algorithm_stands_in_the_program(jax, a) -> None:
    jnp, preset = jax.numpy, "BF16_BF16_F32_X3"
    product = jax.jit(lambda a: jnp.dot(a, a, precision=preset))
    assert "lhs_precision_type = bf16" in product.lower(a).as_text()
    if jax.default_backend() == "cpu":
        with pytest.raises(ValueError, match="not supported by dot_general on CPU"):
            jnp.dot(a, a, precision="TF32_TF32_F32")


def test_no_setting_of_jax_changes_the_result_on_a_plain_cpu(jax, a, plain_cpu) -> None:
    results = []
    for setting in (None, "high", "highest", "BF16_BF16_F32", "BF16_BF16_F32_X6"):
        with jax.default_matmul_precision(setting):
            results.append(np.asarray(jax.jit(lambda a: a @ a)(a)))
    assert all((result == results[0]).all() for result in results)


def test_each_setting_is_traced_once(jax, a) -> None:
    product = jax.jit(lambda a: a @ a)
    assert ledger(product, [(a,), (a,)]).traces == [1, 0]
    for setting in ("highest", "float32", "high"):
        with jax.default_matmul_precision(setting):
            assert ledger(product, [(a,), (a,)]).traces == [1, 0]
    assert ledger(product, [(a,)]).traces == [0]


@pytest.fixture
def restored(torch):
    """PyTorch's settings, as they were."""
    yield
    torch.backends.mkldnn.matmul.fp32_precision = "none"
    torch.backends.cuda.matmul.fp32_precision = "none"
    torch.set_float32_matmul_precision("highest")
    torch.backends.mkldnn.matmul.fp32_precision = "none"
    torch.backends.cuda.matmul.fp32_precision = "none"


def test_the_old_setting_of_torch_sets_the_new_ones(torch, restored) -> None:
    assert torch.get_float32_matmul_precision() == "highest"
    for setting, cpu, cuda in (
        ("highest", "ieee", "ieee"),
        ("high", "tf32", "tf32"),
        ("medium", "bf16", "tf32"),
    ):
        torch.set_float32_matmul_precision(setting)
        assert torch.backends.mkldnn.matmul.fp32_precision == cpu
        assert torch.backends.cuda.matmul.fp32_precision == cuda


def test_old_and_new_settings_of_torch_do_not_mix(torch, restored) -> None:
    torch.set_float32_matmul_precision("highest")
    torch.backends.mkldnn.matmul.fp32_precision = "bf16"
    with pytest.raises(RuntimeError, match="mix of the legacy and new APIs"):
        torch.get_float32_matmul_precision()


def test_an_unknown_precision_is_refused(jax, torch) -> None:
    with pytest.raises(RuntimeError, match="Unknown precision"):
        torch.backends.mkldnn.matmul.fp32_precision = "float16"
    with pytest.raises(ValueError, match="new enum value"):
        jax.default_matmul_precision("medium").__enter__()


def test_no_setting_of_torch_changes_the_result_on_a_plain_cpu(
    torch, a, restored, plain_cpu
) -> None:
    numbers, results = torch.from_numpy(np.array(a)), []
    for setting in ("medium", "high", "highest"):
        torch.set_float32_matmul_precision(setting)
        results.append(numbers @ numbers)
    assert all(result.equal(results[0]) for result in results)


def test_what_torch_lets_a_gpu_do(torch) -> None:
    matmul = torch.backends.cuda.matmul
    assert matmul.allow_bf16_reduced_precision_reduction
    assert matmul.allow_fp16_reduced_precision_reduction
    assert not matmul.allow_tf32
    assert torch.backends.cudnn.conv.fp32_precision == "tf32"
