"""Weights and AdamW's state go from one framework to the other and back, bit for bit."""

import numpy as np
import pytest

pytest.importorskip("jax")
torch = pytest.importorskip("torch")
optax = pytest.importorskip("optax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

from jaxvstorch.examples.checkpoints import jax_carry, jax_optax, torch_adamw, torch_carry  # noqa: E402
from jaxvstorch.examples.checkpoints.names import MismatchError, flat  # noqa: E402

SETTINGS = {"weight_decay": 0.01}  # optax's default is 1e-4, PyTorch's 1e-2
X = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
DTYPES = ["float32", "bfloat16", "float16", "float64", "int32", "int8", "uint8", "bool"]


def model_of_torch(dtype=torch.float32):
    torch.manual_seed(0)
    layers = torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)
    return torch.nn.Sequential(*layers).to(dtype)


def steps_in_torch(model, optimizer, number):
    x = torch.from_numpy(X)
    for _ in range(number):
        optimizer.zero_grad()
        (model(x) ** 2).mean().backward()
        optimizer.step()


def trained(steps=3):
    model = model_of_torch()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, **SETTINGS)
    steps_in_torch(model, optimizer, steps)
    return model, optimizer, [name for name, _ in model.named_parameters()]


def like(model):
    params: dict[str, dict[str, jax.Array]] = {}
    for name, x in model.state_dict().items():
        layer, kind = name.split(".")
        params.setdefault(layer, {})[kind] = jnp.zeros_like(jax_carry.to_jax(x))
    return params


def in_jax(model, optimizer, names):
    params = jax_carry.params_from_torch(model.state_dict(), like(model))
    start = optax.adamw(1e-2, **SETTINGS).init(params)
    return params, jax_optax.state_from_torch(optimizer.state_dict(), names, start)


def bits(tensor):
    return tensor.contiguous().view(torch.uint8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_comes_back_bit_for_bit(dtype: str) -> None:
    with jax.enable_x64(True):
        tensor = (torch.randn(3, 4) * 3).to(getattr(torch, dtype))
        array = jax_carry.to_jax(tensor)
        assert str(array.dtype) == dtype
        assert torch.equal(bits(torch_carry.to_torch(array)), bits(tensor))


def test_nan_infinity_and_minus_zero_come_back_bit_for_bit() -> None:
    payload = torch.tensor([0x7FC0_0001], dtype=torch.int32).view(torch.float32)
    tensor = torch.cat([payload, torch.tensor([torch.inf, -0.0, 1e-45])])
    assert torch.equal(bits(torch_carry.to_torch(jax_carry.to_jax(tensor))), bits(tensor))


def test_without_x64_an_int64_becomes_an_int32() -> None:
    assert jax_carry.to_jax(torch.tensor([1])).dtype == jnp.int32


def test_weights_and_state_come_back_bit_for_bit() -> None:
    model, optimizer, names = trained()
    params, state = in_jax(model, optimizer, names)
    assert state[0].count == 3
    assert state[0].count.dtype == jnp.int32
    new = model_of_torch()
    new.load_state_dict(torch_carry.params_to_torch(params, new.state_dict()))
    again = torch.optim.AdamW(new.parameters(), lr=1e-2, **SETTINGS)
    again.load_state_dict(torch_adamw.state_to_torch(state, names, again.state_dict()))
    for name, tensor in model.state_dict().items():
        assert torch.equal(bits(new.state_dict()[name]), bits(tensor))
    old_parts, new_parts = optimizer.state_dict(), again.state_dict()
    assert new_parts["param_groups"] == old_parts["param_groups"]
    for number, parts in old_parts["state"].items():
        assert parts.keys() == new_parts["state"][number].keys()
        for part, value in parts.items():
            assert value.dtype == new_parts["state"][number][part].dtype
            assert torch.equal(value, new_parts["state"][number][part])
    steps_in_torch(model, optimizer, 5)
    steps_in_torch(new, again, 5)
    for name, tensor in model.state_dict().items():
        assert torch.equal(new.state_dict()[name], tensor)


def test_the_count_of_a_schedule_is_set_too() -> None:
    model, optimizer, names = trained()
    params = like(model)
    start = optax.adamw(optax.linear_schedule(1e-2, 0.0, 10)).init(params)
    state = jax_optax.state_from_torch(optimizer.state_dict(), names, start)
    counts = [value for _, value in optax.tree.get_all_with_path(state, "count")]
    assert counts == [3, 3]
    assert torch_adamw.state_to_torch(state, names, optimizer.state_dict())["state"][0]["step"] == 3


def test_the_error_names_what_is_missing_and_unexpected_and_different() -> None:
    model, optimizer, names = trained()
    wanted = like(model)
    found = dict(model.state_dict())
    found["more.weight"] = found.pop("2.bias")
    found["0.weight"] = found["0.weight"].T
    with pytest.raises(MismatchError) as caught:
        jax_carry.params_from_torch(found, wanted)
    assert str(caught.value).splitlines()[1:] == [
        "missing: 2.bias float32[2]",
        "unexpected: more.weight float32[2]",
        "different: 0.weight is float32[4, 5], not float32[5, 4]",
    ]
    back = {"0": wanted["0"], "2": {"weight": wanted["2"]["weight"]}}
    with pytest.raises(MismatchError, match=r"missing: 2\.bias float32\[2\]"):
        torch_carry.params_to_torch(back, model.state_dict())
    state = optimizer.state_dict()
    del state["state"][3]["exp_avg"]
    start = optax.adamw(1e-2).init(wanted)
    with pytest.raises(MismatchError, match=r"missing: 2\.bias\.exp_avg float32\[2\]"):
        jax_optax.state_from_torch(state, names, start)


def test_a_parameter_that_took_fewer_steps_is_refused() -> None:
    model, optimizer, names = trained()
    state = optimizer.state_dict()
    state["state"][0]["step"] = torch.tensor(1.0)
    with pytest.raises(ValueError, match=r"the steps are \[1, 3\]"):
        jax_optax.state_from_torch(state, names, optax.adamw(1).init(like(model)))


def test_names_in_another_order_are_found_out_by_their_shapes() -> None:
    model, optimizer, names = trained()
    with pytest.raises(MismatchError, match="different"):
        jax_optax.state_from_torch(
            optimizer.state_dict(), sorted(names), optax.adamw(1).init(like(model))
        )


@pytest.mark.parametrize("made", [dict, list])
def test_the_tree_keeps_its_structure(made) -> None:
    layers = [
        {"weight": jnp.zeros((5, 4)), "bias": jnp.zeros(5)},
        {},
        {"weight": jnp.zeros((2, 5))},
    ]
    wanted = layers if made is list else {str(i): layer for i, layer in enumerate(layers)}
    found = dict(model_of_torch().state_dict())
    del found["2.bias"]
    params = jax_carry.params_from_torch(found, wanted)
    assert jax.tree.structure(params) == jax.tree.structure(wanted)
    np.testing.assert_array_equal(flat(params)["2.weight"], found["2.weight"])
    dotted = {name: jnp.zeros(x.shape) for name, x in found.items()}
    assert jax_carry.params_from_torch(found, dotted).keys() == found.keys()
    assert jax_carry.params_from_torch({}, {}) == {}


@pytest.mark.parametrize(
    "view", [torch.ones(1).expand(3), torch.arange(6.0)[::2], torch.arange(6.0).reshape(2, 3).T]
)
def test_a_view_is_carried_too(view) -> None:
    np.testing.assert_array_equal(jax_carry.to_jax(view), view)


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (optax.sgd(1, momentum=0.9), 0),
        (optax.amsgrad(1), 0),
        (optax.chain(optax.scale_by_adam(), optax.adamw(1)), 2),
    ],
    ids=["sgd", "amsgrad", "two"],
)
def test_a_state_that_is_not_one_adams_is_refused(make, number) -> None:
    model, optimizer, names = trained(1)
    state = make.init(like(model))
    with pytest.raises(ValueError, match=f"one ScaleByAdamState is needed.*not {number}"):
        jax_optax.state_from_torch(optimizer.state_dict(), names, state)
    with pytest.raises(ValueError, match=f"one ScaleByAdamState is needed.*not {number}"):
        torch_adamw.state_to_torch(state, names, optimizer.state_dict())


def test_no_optimizer_but_an_adamw_without_amsgrad_takes_a_state() -> None:
    model, optimizer, names = trained(1)
    _, state = in_jax(model, optimizer, names)
    others = (
        torch.optim.AdamW(model.parameters(), amsgrad=True),
        torch.optim.SGD(model.parameters(), momentum=0.9),
    )
    for other in others:
        with pytest.raises(ValueError, match="must be an AdamW without amsgrad"):
            torch_adamw.state_to_torch(state, names, other.state_dict())


def test_names_must_be_as_many_as_the_parameters_and_be_the_states() -> None:
    model, optimizer, names = trained(1)
    _, state = in_jax(model, optimizer, names)
    for wrong in (names[:1], [names[0]] * len(names)):
        for carry, source in (
            (jax_optax.state_from_torch, (optimizer.state_dict(), wrong, state)),
            (torch_adamw.state_to_torch, (state, wrong, optimizer.state_dict())),
        ):
            with pytest.raises(ValueError, match="4 parameters need as many different names"):
                carry(*source)
    with pytest.raises(ValueError, match="the state has moments of"):
        torch_adamw.state_to_torch(state, [*names[:3], "other"], optimizer.state_dict())


def test_a_tied_weight_has_two_names_and_one_state() -> None:
    first, second = torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    model = torch.nn.Sequential(first, second)
    names = [name for name, _ in model.named_parameters()]
    assert (names, list(model.state_dict())) == (["0.weight"], ["0.weight", "1.weight"])
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    with pytest.raises(MismatchError, match=r"missing: 1\.weight\.exp_avg"):
        jax_optax.state_from_torch(optimizer.state_dict(), names, optax.adamw(1).init(like(model)))
    once = optax.adamw(1).init({"0": like(model)["0"]})
    assert jax_optax.state_from_torch(optimizer.state_dict(), names, once)[0].count == 1
