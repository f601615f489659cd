"""A global read."""

import numpy as np
from purity_inputs import X

from jaxvstorch import ledger


def test_jax_freezes_a_global(jax, in_jax, monkeypatch) -> None:
    jitted = jax.jit(in_jax.scaled)
    assert ledger(jitted, [(X,), (X,)]).traces == [1, 0]
    monkeypatch.setattr(in_jax, "scale", 10.0)
    assert ledger(jitted, [(X,)]).traces == [0]
    assert np.array_equal(jitted(X), 2 * X)
    other_shape = X[:3]
    assert np.array_equal(jitted(other_shape), 10 * other_shape)
    assert np.array_equal(jitted(X), 2 * X)


def test_the_global_is_a_constant_of_the_jaxpr(jax, in_jax) -> None:
    assert "mul 2.0" in str(jax.make_jaxpr(in_jax.scaled)(X))


def test_torch_guards_a_global(torch, in_torch, monkeypatch) -> None:
    x = torch.from_numpy(X)
    compiled = torch.compile(in_torch.scaled, backend="eager", fullgraph=True)
    assert ledger(compiled, [(x,), (x,)]).traces == [1, 0]
    monkeypatch.setattr(in_torch, "scale", 10.0)
    (call,) = ledger(compiled, [(x,)]).calls
    assert call.compilations.traces == 1
    assert call.compilations.reasons[0].startswith("global scale: 2.0 → 10.0")
    assert torch.equal(compiled(x), 10 * x)
