"""Arguments that cannot be hashed, or that changed."""

import dataclasses

import numpy as np
import pytest
from static_calls import OFFSET, X

from jaxvstorch import ledger


class Settings:
    """Can be hashed, by identity, and can be changed."""

    def __init__(self, factor: float) -> None:
        self.factor = factor


@dataclasses.dataclass(frozen=True)
class FrozenSettings:
    """Can be hashed, by value, and cannot be changed."""

    factor: float


def scaled_by(x, settings):
    return x * settings.factor


def test_jax_static_arguments_must_be_hashable(jax, in_jax) -> None:
    mean_over = jax.jit(in_jax.mean_over, static_argnames="axes")
    with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
        mean_over(X[None], [1])
    samples = jax.jit(in_jax.samples, static_argnames="num_samples")
    with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
        samples(OFFSET, jax.numpy.int32(4))
    assert mean_over(X[None], (1,)).shape == (1,)
    assert samples(OFFSET, int(jax.numpy.int32(4))).shape == (4,)


def test_jax_does_not_see_a_static_argument_change(jax) -> None:
    settings = Settings(2.0)
    function = jax.jit(scaled_by, static_argnames="settings")
    np.testing.assert_array_equal(function(X, settings), 2 * X)
    settings.factor = 5.0
    np.testing.assert_array_equal(function(X, settings), 2 * X)  # stale


def test_a_frozen_dataclass_cannot_go_stale(jax) -> None:
    settings = FrozenSettings(2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.factor = 5.0  # type: ignore[misc]
    function = jax.jit(scaled_by, static_argnames="settings")
    changed = dataclasses.replace(settings, factor=5.0)
    calls = [(X, settings), (X, changed), (X, FrozenSettings(2.0))]
    assert ledger(function, calls).traces == [1, 1, 0]
    np.testing.assert_array_equal(function(X, changed), 5 * X)


def test_torch_sees_an_argument_change(torch) -> None:
    settings, x = Settings(2.0), torch.tensor(X)
    function = torch.compile(scaled_by, backend="eager")
    torch.testing.assert_close(function(x, settings), 2 * x)
    settings.factor = 5.0
    assert ledger(function, [(x, settings), (x, settings)]).traces == [1, 0]
    torch.testing.assert_close(function(x, settings), 5 * x)


def test_torch_takes_a_list(torch, in_torch) -> None:
    x = torch.tensor(X)[None]
    mean_over = torch.compile(in_torch.mean_over, backend="eager", fullgraph=True)
    book = ledger(mean_over, [(x, axes) for axes in ([1], [1], [0], (1,))])
    assert book.traces == [1, 0, 1, 1]
    assert [call.error for call in book.calls] == [None] * 4
