"""One weight used twice, what makes two of it, and weights that get no gradient."""

import copy

import numpy as np
import pytest

TOKENS = [0, 1, 1, 4]


@pytest.fixture
def tokens(jax):
    return jax.numpy.array(TOKENS)


@pytest.fixture
def tied_torch(torch):
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(5, 8)
            self.head = torch.nn.Linear(8, 5, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens):
            return self.head(torch.tanh(self.embed(tokens)))

    return Tied()


@pytest.fixture
def tied_flax(nnx, jax):
    class Tied(nnx.Module):
        def __init__(self):
            self.embed = nnx.Embed(5, 8, rngs=nnx.Rngs(0))
            self.table = self.embed.embedding

        def __call__(self, tokens):
            return jax.numpy.tanh(self.embed(tokens)) @ self.table.T

    return Tied()


@pytest.fixture
def tied_equinox(eqx, jax):
    class Tied(eqx.Module):
        shared: eqx.nn.Shared

        def __init__(self):
            one, two = jax.random.split(jax.random.key(0))
            pair = eqx.nn.Embedding(5, 8, key=one), eqx.nn.Linear(8, 5, use_bias=False, key=two)
            self.shared = eqx.nn.Shared(pair, lambda p: p[1].weight, lambda p: p[0].weight)

        def __call__(self, token):
            embed, head = self.shared()
            return head(jax.numpy.tanh(embed(token)))

    return Tied()


def gradient(jax, in_jax, embedding, tokens):
    return jax.grad(lambda e: (in_jax.tied_logits(e, tokens) ** 2).sum())(embedding)


def test_in_torch_one_parameter_has_two_names(tied_torch, torch, jax, in_jax, tokens) -> None:
    assert [name for name, _ in tied_torch.named_parameters()] == ["embed.weight"]
    assert list(tied_torch.state_dict()) == ["embed.weight", "head.weight"]
    (tied_torch(torch.tensor(TOKENS)) ** 2).sum().backward()
    wanted = gradient(jax, in_jax, tied_torch.embed.weight.detach().numpy(), tokens)
    found = tied_torch.embed.weight.grad.numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_in_torch_copying_and_loading_keep_it_one(tied_torch, torch) -> None:
    other = copy.deepcopy(tied_torch)
    assert other.head.weight is other.embed.weight
    state = {"embed.weight": torch.ones(5, 8), "head.weight": torch.zeros(5, 8)}
    tied_torch.load_state_dict(state)  # the second name is copied over the first
    assert tied_torch.head.weight is tied_torch.embed.weight
    assert not tied_torch.embed.weight.any()


def test_in_nnx_one_variable_is_in_the_state_once(tied_flax, nnx, jax, in_jax, tokens) -> None:
    assert len(jax.tree.leaves(nnx.state(tied_flax, nnx.Param))) == 1
    (found,) = jax.tree.leaves(nnx.grad(lambda m: (m(tokens) ** 2).sum())(tied_flax))
    wanted = gradient(jax, in_jax, tied_flax.table[...], tokens)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    clone = nnx.clone(tied_flax)
    assert clone.table is clone.embed.embedding


def test_jax_own_functions_make_two_of_it(tied_flax, jax, in_jax, tokens) -> None:
    assert len(jax.tree.leaves(tied_flax)) == 2
    mapped = jax.tree.map(lambda a: a * 1, tied_flax)
    assert mapped.table is not mapped.embed.embedding
    parts = jax.tree.leaves(jax.grad(lambda m: (m(tokens) ** 2).sum())(tied_flax))
    assert len(parts) == 2
    wanted = gradient(jax, in_jax, tied_flax.table[...], tokens)
    np.testing.assert_allclose(parts[0] + parts[1], wanted, rtol=1e-4, atol=1e-4)


def test_in_equinox_shared_holds_it_once(tied_equinox, eqx, jax, in_jax, tokens) -> None:
    (embedding,) = jax.tree.leaves(eqx.filter(tied_equinox, eqx.is_array))
    grads = eqx.filter_grad(lambda m: (jax.vmap(m)(tokens) ** 2).sum())(tied_equinox)
    (found,) = jax.tree.leaves(eqx.filter(grads, eqx.is_array))
    wanted = gradient(jax, in_jax, embedding, tokens)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_all_count_the_same_parameters(
    torch_network, flax_network, equinox_network, nnx, eqx, jax, carried
) -> None:
    from jaxvstorch.examples.modules import weights

    wanted = sum(carried[name].size for name in weights.PARAMETERS)
    assert sum(p.numel() for p in torch_network.parameters()) == wanted
    of_flax = jax.tree.leaves(nnx.state(flax_network, nnx.Param))
    assert sum(a.size for a in of_flax) == wanted
    of_equinox = jax.tree.leaves(eqx.filter(equinox_network[0], eqx.is_array))
    assert sum(a.size for a in of_equinox) == wanted
    # Everything that flax holds: statistics, and the key and the count of dropout's stream.
    assert sum(a.size for a in jax.tree.leaves(nnx.state(flax_network))) == wanted + 8


def test_frozen_in_torch_has_no_gradient_and_its_norm_goes_on(torch_network, torch, images) -> None:
    torch_network.conv.requires_grad_(False)
    torch_network.norm.requires_grad_(False)
    before = torch_network.norm.running_mean.clone()
    torch_network(torch.tensor(images)).sum().backward()
    with_gradient = {n for n, p in torch_network.named_parameters() if p.grad is not None}
    assert not any(name.startswith(("conv", "norm")) for name in with_gradient)
    assert "head.weight" in with_gradient
    assert not torch.equal(torch_network.norm.running_mean, before)


def test_the_head_alone_in_flax(flax_network, nnx, jax, images) -> None:
    head = nnx.All(nnx.Param, nnx.PathContains("head"))
    before = np.array(flax_network.norm.mean[...])

    def score(model):
        return model(images.transpose(0, 2, 3, 1)).sum()

    grads = nnx.grad(score, argnums=nnx.DiffState(0, head))(flax_network)
    assert set(nnx.to_pure_dict(grads)) == {"head"}
    assert not np.array_equal(flax_network.norm.mean[...], before)


def test_the_head_alone_in_equinox(equinox_network, in_equinox, eqx, jax, images) -> None:
    model, state = equinox_network
    chosen = jax.tree.map(lambda _: False, model)
    chosen = eqx.tree_at(lambda m: (m.head.weight, m.head.bias), chosen, (True, True))
    trained, fixed = eqx.partition(model, chosen)
    x, key = jax.numpy.asarray(images), jax.random.key(0)

    def score(trained):
        return in_equinox.apply(eqx.combine(trained, fixed), state, x, key)[0].sum()

    grads = eqx.filter_grad(score)(trained)
    assert [g.shape for g in jax.tree.leaves(grads)] == [(3, 8), (3,)]
