"""Dropout: its scale, and one mask in both passes."""

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch import frameworks

RATE = 0.25


def dropped(framework, half, x, seed=0):
    adapter = frameworks.adapter(framework)
    return adapter.to_numpy(half.dropout(adapter.from_numpy(x), seed, RATE))


def test_dropout_keeps_the_mean_and_the_share(framework, half) -> None:
    y = dropped(framework, half, np.ones(100_000, np.float32))
    assert set(np.unique(y)) == {0, np.float32(1) / np.float32(1 - RATE)}
    assert np.mean(y == 0) == pytest.approx(RATE, abs=0.01)
    assert y.mean() == pytest.approx(1, abs=0.01)
    assert y.var() == pytest.approx(RATE / (1 - RATE), abs=0.01)


def test_torchs_own_dropout_scales_the_same_and_takes_no_generator(torch, in_torch) -> None:
    ones = torch.ones(1000)
    ours, theirs = in_torch.dropout(ones, 0, RATE), torch.nn.Dropout(RATE)(ones)
    assert torch.equal(ours.unique(), theirs.unique())
    with pytest.raises(TypeError, match="generator"):
        torch.nn.functional.dropout(ones, generator=torch.Generator())


def test_jax_drops_the_same_in_both_passes(jax, in_jax) -> None:
    def square(x):
        return in_jax.dropout(x * x, 7, RATE)

    x = np.ones(1000, np.float32)
    for function in (square, jax.checkpoint(square), jax.jit(jax.checkpoint(square))):
        slope = jax.grad(lambda x, function=function: function(x).sum())(x)
        assert np.array_equal(slope != 0, square(x) != 0)


def masks_agree(torch, function) -> bool:
    x = torch.ones(1000, requires_grad=True)
    y = function(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    return torch.equal(y != 0, slope != 0)


def own_dropout(x):
    from torch.nn.functional import dropout

    return dropout(x * x, RATE)


def test_torch_drops_the_same_in_both_passes(torch) -> None:
    assert masks_agree(torch, own_dropout)
    assert masks_agree(torch, torch.compile(own_dropout, backend="aot_eager"))


@needs_compiler
def test_inductor_drops_the_same_in_both_passes(torch) -> None:
    assert masks_agree(torch, torch.compile(own_dropout))


@pytest.mark.parametrize("preserve", [True, False])
def test_torchs_checkpoint_drops_the_same_only_with_the_generators_state(torch, preserve) -> None:
    from torch.utils.checkpoint import checkpoint

    def again(x):
        return checkpoint(own_dropout, x, use_reentrant=False, preserve_rng_state=preserve)

    assert masks_agree(torch, again) is preserve
