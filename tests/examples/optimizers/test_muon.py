"""Muon: how near optax and PyTorch come."""

import inspect

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

import jax  # noqa: E402
from optax import contrib  # noqa: E402
from torch import optim  # noqa: E402

from jaxvstorch.examples.optimizers import jax_optax, rules, table, torch_optim  # noqa: E402

R = rules.RATE


def muon_apart(ours, make, shape=(4, 4)):
    rng = np.random.default_rng(0)
    parameters = {"weight": rng.standard_normal(shape)}
    gradients = {"weight": rng.standard_normal((rules.STEPS, *shape))}
    with jax.enable_x64(True):
        found = jax_optax.after(ours, parameters, gradients)
        return abs(
            np.asarray(found["weight"]) - torch_optim.after(make, parameters, gradients)["weight"]
        ).max()


def test_muon_is_equal_to_bfloat16_alone_and_without_nesterov() -> None:
    plain = table.call_torch("Muon(p, r, nesterov=False)")
    assert muon_apart(contrib.muon(R, weight_decay=0.1, nesterov=False), plain) < 2e-3
    defaults = contrib.muon(R, weight_decay=0.1), table.call_torch("Muon(p, r)")
    assert muon_apart(*defaults) > 5e-3  # optax corrects the bias of both parts of Nesterov's sum


def test_muon_s_weight_decay_is_0_and_a_tenth() -> None:
    decays = (inspect.signature(f).parameters["weight_decay"] for f in (contrib.muon, optim.Muon))
    assert [decay.default for decay in decays] == [0, 0.1]


def test_muon_s_factor_takes_the_shape_the_other_way_round() -> None:
    plain = contrib.muon(R, weight_decay=0.1, nesterov=False)
    make = table.call_torch("Muon(p, r, nesterov=False)")
    assert muon_apart(plain, make, (6, 4)) > 5e-3
    one = contrib.muon(R * (6 / 4) ** 0.5, weight_decay=0.1 / (6 / 4) ** 0.5, nesterov=False)
    assert muon_apart(one, make, (6, 4)) < 3e-3


def test_muon_of_torch_takes_matrices_alone_and_optax_gives_vectors_to_nadam() -> None:
    vector, rule = np.ones(3, np.float32), contrib.muon(0.01)
    adam = optax.nadam(0.01)
    found, expected = (r.update(vector, r.init(vector), vector)[0] for r in (rule, adam))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="Muon only supports 2D parameters"):
        optim.Muon([torch.nn.Parameter(torch.zeros(3))])
