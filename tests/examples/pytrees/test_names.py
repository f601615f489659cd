"""Paths in JAX, names in PyTorch, and what PyTorch does with a dict of names."""

import pytest


@pytest.fixture
def net(torch):
    return torch.nn.Linear(2, 1)


def test_a_path_names_a_leaf(jax) -> None:
    tree = {"b": [1, 2], "a": (3,)}
    found = jax.tree.leaves_with_path(tree)
    assert [jax.tree_util.keystr(path) for path, _ in found] == ["['a'][0]", "['b'][0]", "['b'][1]"]
    simple = [jax.tree_util.keystr(path, simple=True, separator=".") for path, _ in found]
    assert simple == ["a.0", "b.0", "b.1"]


def test_decay_leaves_biases_alone_at_any_depth_in_jax(in_jax, jax) -> None:
    one = jax.numpy.ones(2)
    tree = {"hidden": {"bias": one, "weight": one}, "output.bias": one}
    decayed = in_jax.decay_weights(tree, 1.0)
    assert decayed["hidden"]["bias"].tolist() == decayed["output.bias"].tolist() == [1, 1]
    assert decayed["hidden"]["weight"].tolist() == [0, 0]


def test_a_state_dict_shares_memory_with_the_parameters(torch, net) -> None:
    kept = net.state_dict()
    snapshot = {name: x.clone() for name, x in kept.items()}
    with torch.no_grad():
        net.weight += 1
    assert torch.equal(kept["weight"], net.weight)
    assert torch.equal(kept["weight"], snapshot["weight"] + 1)


def test_a_jax_step_leaves_the_old_tree_as_it_was(jax, in_jax) -> None:
    params = {"layer": {"weight": jax.numpy.ones(2)}}
    kept = params
    params = jax.jit(in_jax.sgd_step)(params, params, 0.5)
    assert kept["layer"]["weight"].tolist() == [1, 1]
    assert params["layer"]["weight"].tolist() == [0.5, 0.5]


def test_a_state_dict_has_buffers_too_and_a_tied_parameter_twice(torch) -> None:
    norm = torch.nn.BatchNorm1d(2)
    assert set(norm.state_dict()) - {name for name, _ in norm.named_parameters()} == {
        "running_mean", "running_var", "num_batches_tracked",
    }  # fmt: skip
    tied = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
    tied[1].weight = tied[0].weight
    assert list(tied.state_dict()) == ["0.weight", "1.weight"]
    assert [name for name, _ in tied.named_parameters()] == ["0.weight"]


def test_load_state_dict_wants_all_keys_and_no_others(torch, net) -> None:
    weight, bias = torch.zeros(1, 2), torch.zeros(1)
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "bias"'):
        net.load_state_dict({"weight": weight})
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "scale"'):
        net.load_state_dict({"weight": weight, "bias": bias, "scale": bias})
    found = net.load_state_dict({"weight": weight, "scale": bias}, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["bias"], ["scale"])


@pytest.mark.parametrize("strict", [True, False])
def test_a_wrong_shape_is_an_error_and_a_wrong_dtype_is_converted(torch, net, strict) -> None:
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        net.load_state_dict({"weight": torch.zeros(1, 3), "bias": torch.zeros(1)}, strict=strict)
    net.load_state_dict({name: x.double() for name, x in net.state_dict().items()}, strict=strict)
    assert net.weight.dtype == torch.float32


def test_functional_call_passes_over_a_misspelt_name_unless_it_is_strict(torch, net) -> None:
    from torch.func import functional_call

    misspelt, x = {"weights": torch.ones(1, 2)}, torch.ones(1, 2)
    assert torch.equal(functional_call(net, misspelt, x), net(x))
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'weights'"):
        functional_call(net, misspelt, x, strict=True)


def test_functional_call_can_be_differentiated_in_its_dict(torch, net) -> None:
    from torch.func import functional_call, grad

    named = dict(net.named_parameters())
    slopes = grad(lambda p: functional_call(net, p, torch.ones(1, 2)).sum())(named)
    assert {name: x.tolist() for name, x in slopes.items()} == {"weight": [[1, 1]], "bias": [1]}


def test_get_total_norm_records_no_gradient(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    assert not torch.nn.utils.get_total_norm([x]).requires_grad
