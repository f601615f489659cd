"""The defaults of each library's layers, read from the layers or measured."""

import importlib
import inspect

import numpy as np
import pytest


@pytest.fixture
def rngs(nnx):
    return nnx.Rngs(0)


@pytest.fixture
def key(jax):
    return jax.random.key(0)


def is_uniform(weight, limit: float) -> bool:
    weight = np.asarray(weight)
    return abs(weight).max() <= limit and weight.std() == pytest.approx(limit / 3**0.5, rel=0.1)


def is_normal(weight, deviation: float, cut: float = np.inf) -> bool:
    weight = np.asarray(weight)
    inside = abs(weight).max() <= cut * deviation
    return inside and weight.std() == pytest.approx(deviation, rel=0.03)


def test_linear(torch, nnx, eqx, rngs, key) -> None:
    ours, flax = torch.nn.Linear(400, 300), nnx.Linear(400, 300, rngs=rngs)
    equinox = eqx.nn.Linear(400, 300, key=key)
    for layer in (ours, equinox):
        weight, bias = (
            p.detach().numpy() if layer is ours else p for p in (layer.weight, layer.bias)
        )
        assert weight.shape == (300, 400)
        assert is_uniform(weight, 1 / 20)
        assert is_uniform(bias, 1 / 20)
    assert flax.kernel.shape == (400, 300)
    assert is_normal(flax.kernel[...], 1 / 20, cut=2.3)  # cut off at 2, then scaled up
    assert not flax.bias[...].any()


def test_convolution(torch, nnx, eqx, rngs, key) -> None:
    ours, flax = torch.nn.Conv2d(40, 50, 3), nnx.Conv(40, 50, (3, 3), rngs=rngs)
    equinox = eqx.nn.Conv2d(40, 50, 3, key=key)
    assert ours.weight.shape == equinox.weight.shape == (50, 40, 3, 3)
    assert flax.kernel.shape == (3, 3, 40, 50)
    assert is_uniform(ours.weight.detach(), 360**-0.5)
    assert is_uniform(equinox.weight, 360**-0.5)
    assert is_normal(flax.kernel[...], 360**-0.5, cut=2.3)
    assert (ours.bias.shape, flax.bias.shape, equinox.bias.shape) == ((50,), (50,), (50, 1, 1))
    x = np.ones((1, 40, 8, 8), np.float32)
    assert ours(torch.tensor(x)).shape[2:] == equinox(x[0]).shape[1:] == (6, 6)
    assert flax(x.transpose(0, 2, 3, 1)).shape[1:3] == (8, 8)


def test_norms(torch, nnx, eqx, rngs) -> None:
    assert [torch.nn.LayerNorm(4).eps, eqx.nn.LayerNorm(4).eps] == [1e-5, 1e-5]
    assert [torch.nn.GroupNorm(2, 4).eps, eqx.nn.GroupNorm(2, 4).eps] == [1e-5, 1e-5]
    assert nnx.LayerNorm(4, rngs=rngs).epsilon == nnx.GroupNorm(32, rngs=rngs).epsilon == 1e-6
    assert nnx.GroupNorm(64, rngs=rngs).num_groups == 32
    assert torch.nn.RMSNorm(4).eps is None  # the dtype's own
    assert nnx.RMSNorm(4, rngs=rngs).epsilon == 1e-6
    assert eqx.nn.RMSNorm(4).eps == 1e-5
    assert nnx.LayerNorm(4, rngs=rngs).use_fast_variance
    assert eqx.nn.RMSNorm(4).bias is not None
    assert [name for name, _ in torch.nn.RMSNorm(4).named_parameters()] == ["weight"]
    assert nnx.state(nnx.RMSNorm(4, rngs=rngs), nnx.Param).keys() == {"scale"}


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16"])
def test_the_epsilon_of_rms_norm_in_torch_is_that_of_float32_or_64(torch, name: str) -> None:
    dtype = getattr(torch, name)
    x = torch.full((1, 4), 1e-3, dtype=dtype)
    small = torch.finfo(torch.float64 if name == "float64" else torch.float32).eps
    wanted = x.double() / (x.double() ** 2 + small) ** 0.5
    found = torch.nn.RMSNorm(4, dtype=dtype)(x).double()
    torch.testing.assert_close(found, wanted, rtol=0.01 if name == "bfloat16" else 1e-3, atol=0)


def test_batch_norm(torch, nnx, eqx, rngs) -> None:
    ours, flax = torch.nn.BatchNorm2d(4), nnx.BatchNorm(4, rngs=rngs)
    with pytest.warns(UserWarning, match="defaults to 'ema'"):
        equinox = eqx.nn.BatchNorm(4, "batch")
    assert (ours.eps, flax.epsilon, equinox.eps) == (1e-5, 1e-5, 1e-5)
    assert (ours.momentum, flax.momentum, equinox.momentum) == (0.1, 0.99, 0.99)
    assert equinox.mode == "ema"
    assert flax.use_fast_variance


def test_dropout_embedding_gelu(torch, nnx, eqx, jax, rngs, key) -> None:
    assert torch.nn.Dropout().p == eqx.nn.Dropout().p == 0.5
    assert (
        inspect.signature(nnx.Dropout.__init__).parameters["rate"].default
        is inspect.Parameter.empty
    )
    assert is_normal(torch.nn.Embedding(500, 400).weight.detach(), 1)
    assert is_normal(eqx.nn.Embedding(500, 400, key=key).weight, 1)
    assert is_normal(nnx.Embed(500, 400, rngs=rngs).embedding[...], 1 / 20)
    one = jax.numpy.float32(1)
    assert float(torch.nn.functional.gelu(torch.tensor(1.0))) == pytest.approx(0.84134, abs=1e-5)
    assert float(nnx.gelu(one)) == float(jax.nn.gelu(one)) == pytest.approx(0.84119, abs=1e-5)


def test_attention(torch, nnx, eqx, jax, rngs, key) -> None:
    ours = torch.nn.MultiheadAttention(8, 2)
    flax = nnx.MultiHeadAttention(2, 8, decode=False, rngs=rngs)
    equinox = eqx.nn.MultiheadAttention(2, 8, key=key)
    assert ours.in_proj_weight.shape == (24, 8)
    assert not ours.batch_first
    assert flax.query.kernel.shape == (8, 2, 4)
    assert equinox.query_proj.weight.shape == (8, 8)
    assert equinox.query_proj.bias is None
    assert isinstance(ours(*[torch.ones(3, 5, 8)] * 3), tuple)
    wide = torch.nn.MultiheadAttention(400, 2)
    assert is_uniform(wide.in_proj_weight.detach(), (6 / 1600) ** 0.5 + 1e-6)
    assert not wide.in_proj_bias.any()
    assert not wide.out_proj.bias.any()
    assert flax(jax.numpy.ones((3, 5, 8))).shape == (3, 5, 8)


def difference(torch, nnx, rngs, x, **settings) -> float:
    wanted = torch.nn.LayerNorm(x.shape[1])(torch.tensor(x)).detach().numpy()
    return float(abs(nnx.LayerNorm(x.shape[1], rngs=rngs, **settings)(x) - wanted).max())


def test_why_the_layer_norm_of_an_issue_differs(torch, nnx, rngs) -> None:
    """google/flax#2195: of numbers as in the issue, but in NNX, epsilon is all of it.

    The issue itself says ``flax.linen.LayerNorm(12)``, which sets epsilon to 12.
    """
    x = np.random.default_rng(0).standard_normal((8, 12)).astype(np.float32)
    assert difference(torch, nnx, rngs, x) > 1e-5
    assert difference(torch, nnx, rngs, x, use_fast_variance=False) > 1e-5
    assert difference(torch, nnx, rngs, x, epsilon=1e-5) < 1e-6
    assert difference(torch, nnx, rngs, x / 1000) > 0.5
    assert difference(torch, nnx, rngs, x / 1000, epsilon=1e-5) < 1e-6
    assert importlib.import_module("flax.linen").LayerNorm(12).epsilon == 12


def test_the_fast_variance_of_far_numbers(torch, nnx, eqx, jax, rngs) -> None:
    x = np.float32([[10000, 10001, 10002, 10003]])
    assert difference(torch, nnx, rngs, x, epsilon=1e-5) > 100
    assert difference(torch, nnx, rngs, x, epsilon=1e-5, use_fast_variance=False) < 1e-4
    wanted = torch.nn.LayerNorm(4)(torch.tensor(x)).detach().numpy()
    assert abs(eqx.nn.LayerNorm(4)(jax.numpy.asarray(x[0])) - wanted[0]).max() < 1e-3


def test_same_with_a_stride_pads_at_the_end(torch, jax) -> None:
    """google/flax#963 and #2993."""
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    kernel = np.ones((1, 1, 3, 3), np.float32)
    functional, convolve = torch.nn.functional, jax.lax.conv_general_dilated
    ours = functional.conv2d(torch.tensor(x), torch.tensor(kernel), stride=2, padding=1)
    same = convolve(x, kernel, (2, 2), "SAME")
    assert ours.shape == same.shape
    assert not np.allclose(ours, same)
    explicit = convolve(x, kernel, (2, 2), [(1, 1), (1, 1)])
    np.testing.assert_allclose(ours, explicit)
    ends = functional.pad(torch.tensor(x), (0, 1, 0, 1))
    np.testing.assert_allclose(functional.conv2d(ends, torch.tensor(kernel), stride=2), same)
    with pytest.raises(ValueError, match="not supported for strided"):
        torch.nn.Conv2d(1, 1, 3, stride=2, padding="same")
