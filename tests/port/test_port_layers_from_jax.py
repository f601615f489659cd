"""Layers of flax and equinox in ``jaxvstorch.port``: the PyTorch layer that has run with theirs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxvstorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")
nn = pytest.importorskip("flax.linen", reason="flax is not installed")
eqx = pytest.importorskip("equinox", reason="equinox is not installed")

KEY, RNGS = jax.random.key(0), nnx.Rngs(0)
X = jnp.asarray(np.random.default_rng(0).standard_normal((2, 5, 4)), jnp.float32)
IMAGES = jnp.asarray(np.random.default_rng(1).standard_normal((2, 6, 6, 4)), jnp.float32)
H = jnp.full((2, 3), 0.3)


def called(layer, *args):
    return layer(*args)


def attended(layer, x):
    return layer.attend(x)


def verified(function, *args) -> str | None:
    """What the one call of a function becomes, which has the same result in PyTorch."""
    report = jaxvstorch.port(function, *args)
    assert report.counts() == {"verified": 1}, str(report)
    (line,) = report.lines.values()
    (call,) = line.calls
    return call.becomes


def with_noise(layer):
    """The same layer of nnx with weights and biases that are not 0."""
    state = nnx.state(layer, nnx.Param)
    nnx.update(
        layer,
        jax.tree.map(lambda leaf: leaf + jnp.linspace(0, 1, leaf.size).reshape(leaf.shape), state),
    )
    return layer


CELL = "(lambda h, c: ((c, h), h))(*torch.nn.LSTMCell(4, 3)(args[1], args[0][::-1]))"
NNX = {
    "LSTMCell": (nnx.LSTMCell(4, 3, rngs=RNGS), ((H, 2 * H), X[:, 0]), CELL),
    "OptimizedLSTMCell": (nnx.OptimizedLSTMCell(4, 3, rngs=RNGS), ((H, 2 * H), X[:, 0]), CELL),
    "GRUCell": (
        nnx.GRUCell(4, 3, rngs=RNGS), (H, X[:, 0]),
        "(lambda h: (h, h))(torch.nn.GRUCell(4, 3)(args[1], args[0]))",
    ),
    "SimpleCell": (
        nnx.SimpleCell(4, 3, rngs=RNGS), (H, X[:, 0]),
        "(lambda h: (h, h))(torch.nn.RNNCell(4, 3)(args[1], args[0]))",
    ),
    "RNN": (
        nnx.RNN(nnx.GRUCell(4, 3, rngs=RNGS)), (X,),
        "torch.nn.GRU(4, 3, batch_first=True)(args[0])[0]",
    ),
    "RNN with its carry": (
        nnx.RNN(nnx.LSTMCell(4, 3, rngs=RNGS), return_carry=True), (X,),
        "(lambda y, state: ((state[1][0], state[0][0]), y))"
        "(*torch.nn.LSTM(4, 3, batch_first=True)(args[0]))",
    ),
    "RNN in reverse": (
        nnx.RNN(nnx.SimpleCell(4, 3, rngs=RNGS), time_major=True, reverse=True, keep_order=True),
        (X,),
        "torch.nn.RNN(4, 3)(args[0].flip(0))[0].flip(0)",
    ),
    "Bidirectional": (
        nnx.Bidirectional(*(nnx.RNN(nnx.LSTMCell(4, 3, rngs=RNGS)) for _ in range(2))), (X,),
        "torch.nn.LSTM(4, 3, batch_first=True, bidirectional=True)(args[0])[0]",
    ),
    "ConvTranspose": (
        nnx.ConvTranspose(4, 3, (3, 3), 2, rngs=RNGS), (IMAGES,),
        "torch.nn.functional.pad(torch.nn.ConvTranspose2d(4, 3, (3, 3), 2)"
        "(args[0].movedim(-1, 1)), (0, -1, 0, -1)).movedim(1, -1)",
    ),
    "ConvTranspose with gaps": (
        nnx.ConvTranspose(4, 3, (2, 2), 3, rngs=RNGS), (IMAGES,),
        "torch.nn.ConvTranspose2d(4, 3, (2, 2), 3, 0, 1)(args[0].movedim(-1, 1)).movedim(1, -1)",
    ),
    "ConvTranspose, transposed": (
        nnx.ConvTranspose(4, 3, (3,), padding="VALID", transpose_kernel=True, rngs=RNGS), (X,),
        "torch.nn.ConvTranspose1d(4, 3, (3,))(args[0].movedim(-1, 1)).movedim(1, -1)",
    ),
    "Conv of one image": (
        nnx.Conv(4, 3, (3, 3), rngs=RNGS), (IMAGES[0],),
        "torch.nn.Conv2d(4, 3, (3, 3), 1, 'same')(args[0].movedim(-1, 0)).movedim(0, -1)",
    ),
    "Conv around": (
        nnx.Conv(4, 3, (3,), padding="CIRCULAR", rngs=RNGS), (X,),
        "torch.nn.Conv1d(4, 3, (3,))(torch.nn.functional.pad(args[0].movedim(-1, 1), (1, 1), "
        "mode='circular')).movedim(1, -1)",
    ),
    "Conv of the past": (
        nnx.Conv(4, 3, (3,), padding="CAUSAL", rngs=RNGS), (X,),
        "torch.nn.Conv1d(4, 3, (3,))(torch.nn.functional.pad(args[0].movedim(-1, 1), (2, 0)))"
        ".movedim(1, -1)",
    ),
    "LinearGeneral": (
        nnx.LinearGeneral(4, (2, 3), rngs=RNGS), (X,),
        "torch.nn.Linear(4, 6)(args[0]).unflatten(-1, (2, 3))",
    ),
    "LinearGeneral of axes": (
        nnx.LinearGeneral((5, 4), 3, axis=(-2, -1), rngs=RNGS), (X,),
        "torch.nn.Linear(20, 3)(args[0].flatten(-2))",
    ),
    "Einsum": (
        nnx.Einsum("bti,ij->btj", (4, 3), (3,), rngs=RNGS), (X,),
        "torch.einsum('bti,ij->btj', args[0], layer.kernel) + layer.bias",
    ),
    "GroupNorm": (
        nnx.GroupNorm(4, num_groups=None, group_size=2, rngs=RNGS), (IMAGES,),
        "torch.nn.GroupNorm(2, 4, 1e-06)(args[0].movedim(-1, 1)).movedim(1, -1)",
    ),
    "InstanceNorm": (
        nnx.InstanceNorm(4, rngs=RNGS), (IMAGES,),
        "torch.nn.InstanceNorm2d(4, 1e-06, affine=True)(args[0].movedim(-1, 1)).movedim(1, -1)",
    ),
    "LoRALinear": (
        nnx.LoRALinear(4, 3, lora_rank=2, rngs=RNGS), (X,),
        "torch.nn.Linear(4, 3)(args[0]) + args[0] @ layer.lora.lora_a @ layer.lora.lora_b",
    ),
    "PReLU": (nnx.PReLU(), (X,), "torch.nn.PReLU()(args[0])"),
}  # fmt: skip


@pytest.mark.parametrize("name", NNX)
def test_layers_of_nnx(name) -> None:
    layer, args, expected = NNX[name]
    assert verified(called, with_noise(layer), *args) == expected


def test_embeddings_attend() -> None:
    embed = nnx.Embed(5, 4, rngs=RNGS)
    assert verified(attended, embed, X) == "x @ torch.nn.Embedding(5, 4).weight.T"


IMAGE = IMAGES[0].transpose(2, 0, 1)
EQUINOX = {
    "GRUCell": (eqx.nn.GRUCell(4, 3, key=KEY), (X[0, 0], H[0]), "torch.nn.GRUCell(4, 3)"),
    "LSTMCell": (
        eqx.nn.LSTMCell(4, 3, key=KEY), (X[0, 0], (H[0], 2 * H[0])), "torch.nn.LSTMCell(4, 3)",
    ),
    "ConvTranspose2d": (
        eqx.nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2, key=KEY), (IMAGE,),
        "torch.nn.ConvTranspose2d(4, 6, (3, 3), 2, 1, 1, 2)",
    ),
    "Conv3d": (
        eqx.nn.Conv3d(4, 3, 2, key=KEY), (IMAGE[..., None].repeat(3, -1),),
        "torch.nn.Conv3d(4, 3, (2, 2, 2))",
    ),
    "MaxPool2d": (
        eqx.nn.MaxPool2d(3, 2, 1, use_ceil=True), (IMAGE,),
        "torch.nn.MaxPool2d(3, 2, 1, ceil_mode=True)",
    ),
    "AvgPool1d": (eqx.nn.AvgPool1d(2, 2, 1), (X[0],), "torch.nn.AvgPool1d(2, 2, 1)"),
    "AdaptiveAvgPool2d": (eqx.nn.AdaptiveAvgPool2d(3), (IMAGE,), "torch.nn.AdaptiveAvgPool2d(3)"),
    "PReLU": (eqx.nn.PReLU(), (X,), "torch.nn.PReLU()"),
    "Linear of a scalar": (
        eqx.nn.Linear("scalar", 3, key=KEY), (X[0, 0, 0],), "torch.nn.Linear(1, 3)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUINOX)
def test_layers_of_equinox_alone(name) -> None:
    layer, args, expected = EQUINOX[name]
    text = verified(called, layer, *args)
    assert text is not None
    assert text.startswith(f"{expected}(args[0]")


def test_calls_inside_a_layer_that_only_calls() -> None:
    layer = eqx.nn.Sequential([eqx.nn.Linear(4, 3, key=KEY), eqx.nn.Lambda(jnp.tanh)])
    report = jaxvstorch.port(called, layer, X[0, 0])
    assert report.counts() == {"verified": 2}


def test_averages_over_a_named_batch_run_in_pytorch() -> None:
    layer, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(4, "batch", mode="batch")

    def normalized(layer, x, state):
        return jax.vmap(layer, in_axes=(0, None), out_axes=(0, None), axis_name="batch")(x, state)[
            0
        ]

    report = jaxvstorch.port(normalized, layer, X[0], state)
    assert set(report.counts()) == {"done another way"}


LINEN = {
    "DenseGeneral": (
        nn.DenseGeneral((2, 3)), (X,), "torch.nn.Linear(4, 6)(args[0]).unflatten(-1, (2, 3))",
    ),
    "LSTMCell": (nn.LSTMCell(3), ((H, 2 * H), X[:, 0]), CELL),
    "GRUCell": (
        nn.GRUCell(3), (H, X[:, 0]), "(lambda h: (h, h))(torch.nn.GRUCell(4, 3)(args[1], args[0]))",
    ),
    "RNN": (
        nn.RNN(nn.OptimizedLSTMCell(3)), (X,), "torch.nn.LSTM(4, 3, batch_first=True)(args[0])[0]",
    ),
    "ConvTranspose": (
        nn.ConvTranspose(3, (4, 4), (2, 2)), (IMAGES,),
        "torch.nn.ConvTranspose2d(4, 3, (4, 4), 2, 1)(args[0].movedim(-1, 1)).movedim(1, -1)",
    ),
    "MultiHeadAttention": (
        nn.MultiHeadDotProductAttention(2), (X,),
        "torch.nn.MultiheadAttention(4, 2, batch_first=True)(args[0], args[0], args[0], "
        "need_weights=False)[0]",
    ),
    "LayerNorm": (nn.LayerNorm(), (X,), "torch.nn.LayerNorm(4, 1e-06)(args[0])"),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEN)
def test_apply_of_layers_of_linen(name) -> None:
    layer, args, expected = LINEN[name]
    variables = layer.init(KEY, *args)
    assert (
        verified(lambda variables, *args: layer.apply(variables, *args), variables, *args)
        == expected
    )


def test_apply_of_a_method_and_of_layers_with_state() -> None:
    embed, norm = nn.Embed(5, 4), nn.BatchNorm(use_running_average=False)
    known = embed.init(KEY, jnp.zeros(2, int))

    def attended(known, x):
        return embed.apply(known, x, method="attend")

    def normalized(known, x):
        y, updates = norm.apply(known, x, mutable=["batch_stats"])
        return y, updates

    assert verified(attended, known, X) == "x @ torch.nn.Embedding(5, 4).weight.T"
    text = verified(normalized, norm.init(KEY, X), X)
    assert text == "torch.nn.BatchNorm1d(4, 1e-05, 1 - 0.99)(x.flatten(0, -2)).reshape(x.shape)"


class Tagger(nn.Module):
    """A module that makes a cell where it calls it."""

    @nn.compact
    def __call__(self, x):
        """All of it."""
        return nn.Dense(2)(nn.RNN(nn.LSTMCell(3), name="rnn")(x))


def test_layers_inside_a_module_of_linen() -> None:
    module = Tagger()
    report = jaxvstorch.port(lambda v, x: module.apply(v, x), module.init(KEY, X), X)
    assert set(report.counts()) == {"verified"}
    assert "torch.nn.LSTM(4, 3, batch_first=True)(x)[0]" in str(report)


def test_a_layer_that_pytorch_has_otherwise_says_why() -> None:
    cell = nnx.SimpleCell(4, 3, activation_fn=jax.nn.relu, rngs=RNGS)
    attention = nnx.MultiHeadAttention(2, 4, 8, decode=False, rngs=RNGS)
    for layer, args, why in [
        (cell, (H, X[:, 0]), "the functions of PyTorch's cells are sigmoid and tanh"),
        (attention, (X,), "PyTorch's attention has one size for all its projections"),
        (eqx.nn.AdaptiveAvgPool1d(3), (X[0],), "where a size is no multiple of the target"),
    ]:
        report = jaxvstorch.port(called, layer, *args)
        assert report.counts() == {"done another way": 1}
        assert why in str(report)
