"""One network four ways, with the same weights, and images for it."""

import numpy as np
import pytest

from jaxvstorch.examples.modules import weights


@pytest.fixture
def jax():
    """JAX with its caches: nothing here counts what is compiled."""
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.fixture
def carried() -> weights.Weights:
    """Weights of which none is at its default."""
    return weights.make(seed=3)


@pytest.fixture
def images() -> np.ndarray:
    """Five images with their channels first."""
    return np.random.default_rng(4).standard_normal((5, 2, 4, 4)).astype(np.float32)


@pytest.fixture
def probe() -> np.ndarray:
    """Weighs the scores, so that one number depends on all of them."""
    return np.random.default_rng(5).standard_normal((5, 3)).astype(np.float32)


@pytest.fixture
def module(torch):
    """The topic's module of ``torch.nn.Module``."""
    from jaxvstorch.examples.modules import torch_module

    return torch_module


@pytest.fixture
def nnx(jax):
    """Flax's NNX."""
    return pytest.importorskip("flax.nnx", reason="flax is not installed")


@pytest.fixture
def in_flax(nnx):
    """The topic's module of flax."""
    from jaxvstorch.examples.modules import jax_flax

    return jax_flax


@pytest.fixture
def eqx(jax):
    """Equinox."""
    return pytest.importorskip("equinox", reason="equinox is not installed")


@pytest.fixture
def in_equinox(eqx):
    """The topic's module of equinox."""
    from jaxvstorch.examples.modules import jax_equinox

    return jax_equinox


@pytest.fixture
def flax_network(in_flax, nnx, carried):
    """The network in flax, in training mode."""
    model = in_flax.Network(rngs=nnx.Rngs(0))
    in_flax.load(model, carried)
    return model


@pytest.fixture
def torch_network(module, carried):
    """The network as a module, in training mode."""
    model = module.Network()
    module.load(model, carried)
    return model


@pytest.fixture
def equinox_network(in_equinox, eqx, jax, carried):
    """The network in equinox, and its state, in training mode."""
    model, state = eqx.nn.make_with_state(in_equinox.Network)(key=jax.random.key(0))
    return in_equinox.load(model, state, carried)
