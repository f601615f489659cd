"""Faults that people make in ports, each as one text of a JAX model's file replaced by another."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One fault of a port.

    Attributes:
        name: the model and what is wrong.
        old: what the JAX file has once.
        new: what stands there instead.
        jax_line: a text of the faulty line as planted; of the line that uses it, where the fault is
            a default or a weight.
        torch_line: a text of the line that does the same in PyTorch.
        cause: a pattern for what the cause says, case ignored; None where no trial can find it.
        jax_shows: a text of the first line that computes other numbers, where the faulty line only
            moves or drops numbers that PyTorch has too.
        torch_shows: the same for PyTorch.
        named: whether PyTorch's line and JAX's are named, or a call that led there.
    """

    name: str
    old: str
    new: str
    jax_line: str
    torch_line: str
    cause: str | None
    jax_shows: str = ""
    torch_shows: str = ""
    named: tuple[bool, bool] = (True, True)

    def __str__(self) -> str:
        return self.name

    @property
    def model(self) -> str:
        """The name of the model's files before `_jax.py` and `_torch.py`."""
        return self.name.partition(":")[0]


_GPT = [
    Fault(
        "gpt: epsilon of flax",
        "eps: float = 1e-5", "eps: float = 1e-6",
        "rsqrt(var + eps)", "self.norm1(x)", r"eps",
    ),
    Fault(
        "gpt: unbiased variance",
        "x.var(-1, keepdims=True)", "x.var(-1, keepdims=True, ddof=1)",
        "ddof=1", "self.norm1(x)", r"bias|ddof|correction|n ?- ?1",
    ),
    Fault(
        "gpt: mean not subtracted",
        "(x - mean) *", "x *",
        "return x * jax.lax.rsqrt", "self.norm1(x)", r"mean|rms|cent",
    ),
    Fault(
        "gpt: bias left out",
        'return x @ p["weight"].T + p["bias"]', 'return x @ p["weight"].T',
        'return x @ p["weight"].T', "self.query(x)", r"bias",
    ),
    Fault(
        "gpt: gelu by tanh",
        "jax.nn.gelu(h, approximate=False)", "jax.nn.gelu(h)",
        "jax.nn.gelu(h)", "F.gelu(", r"tanh|approximate",
    ),
    Fault(
        "gpt: relu for gelu",
        "jax.nn.gelu(h, approximate=False)", "jax.nn.relu(h)",
        "jax.nn.relu(h)", "F.gelu(", r"gelu|relu",
    ),
    Fault(
        "gpt: softmax over the queries",
        "softmax(scores, axis=-1)", "softmax(scores, axis=-2)",
        "softmax(scores, axis=-2)", "F.softmax(scores", r"axis|dim",
    ),
    Fault(
        "gpt: no scale",
        " / (width // heads) ** 0.5", "",
        "scores = jnp.einsum(", "/ self.size**0.5", r"leaves out",
    ),
    Fault(
        "gpt: scale of all heads together",
        "(width // heads) ** 0.5", "width**0.5",
        "/ width**0.5", "/ self.size**0.5", r"the constant",
    ),
    Fault(
        "gpt: inverted mask",
        "jnp.tril(", "jnp.triu(",
        "jnp.triu(", ".triu(1)", r"mask|tri[lu]",
        "jnp.where(mask", "scores.masked_fill(",
    ),
    Fault(
        "gpt: mask lets one ahead",
        "jnp.ones((t, t), bool))", "jnp.ones((t, t), bool), 1)",
        "bool), 1)", ".triu(1)", r"mask|tri[lu]|diagonal",
        "jnp.where(mask", "scores.masked_fill(",
    ),
    Fault(
        "gpt: mask by a small number",
        "-jnp.inf", "-5.0",
        "jnp.where(mask", "scores.masked_fill(", r"inf|mask",
    ),
    Fault(
        "gpt: square weight not transposed",
        'linear(p["out"], y.reshape(b, t, width))',
        'y.reshape(b, t, width) @ p["out"]["weight"] + p["out"]["bias"]',
        '@ p["out"]["weight"]', "self.out(", r"transpos",
    ),
    Fault(
        "gpt: heads behind their numbers",
        '(p["query"], x).reshape(b, t, heads, -1)',
        '(p["query"], x).reshape(b, t, -1, heads).swapaxes(2, 3)',
        ".reshape(b, t, -1, heads)", "self.query(x)", r"reshape|order|axes|layout|heads",
        "a * cos - b * sin", "a * cos - b * sin",
        named=(False, False),
    ),
    Fault(
        "gpt: tile for repeat",
        "jnp.repeat(a, heads // groups, axis=2)", "jnp.tile(a, (1, 1, heads // groups, 1))",
        "jnp.tile(", "repeat_interleave(", r"repeat|tile|order|axes|layout",
        "scores = jnp.einsum(", "scores = q @",
    ),
    Fault(
        "gpt: keys and values swapped",
        "k, v = (jnp.repeat", "v, k = (jnp.repeat",
        "v, k = (jnp.repeat", "k, v = (a.repeat_interleave", r"swap|order|operand|instead",
        "scores = jnp.einsum(", "scores = q @",
    ),
    Fault(
        "gpt: heads not beside each other again",
        "y.reshape(b, t, width))", "y.swapaxes(1, 2).reshape(b, t, width))",
        "y.swapaxes(1, 2)", "y.transpose(1, 2)", r"reshape|order|axes|transpos|layout",
    ),
    Fault(
        "gpt: bfloat16 scores",
        '"bqhd,bkhd->bhqk", q, k)',
        '"bqhd,bkhd->bhqk", q.astype(jnp.bfloat16), k.astype(jnp.bfloat16))',
        "q.astype(jnp.bfloat16)", "scores = q @", r"bfloat16|precision|dtype",
    ),
    Fault(
        "gpt: rotary pairs beside each other",
        "a, b = jnp.split(x, 2, axis=-1)", "a, b = x[..., ::2], x[..., 1::2]",
        "x[..., ::2], x[..., 1::2]", "x.chunk(2", r"interleav|hal[fv]|split|pair|stride|order",
        "a * cos - b * sin", "a * cos - b * sin",
    ),
    Fault(
        "gpt: base of rotary positions",
        "base: float = 10000.0", "base: float = 500000.0",
        "base ** (", "base ** (", r"base|10000|500000|constant",
    ),
    Fault(
        "gpt: rotary positions turn backwards",
        "[a * cos - b * sin, b * cos + a * sin]", "[a * cos + b * sin, b * cos - a * sin]",
        "[a * cos + b * sin", "a * cos - b * sin", None,
    ),
    Fault(
        "gpt: keys not rotated",
        "q, k = rotate(q), rotate(k)", "q = rotate(q)",
        "q = rotate(q)", "rotate(q), rotate(k)", r"leaves out",
        "scores = jnp.einsum(",
    ),
    Fault(
        "gpt: residual left out",
        "x = x + attention(", "x = attention(",
        "x = attention(", "x = x + self.attention(", r"resid|add|left out|missing|skip",
        '"norm2"',
    ),
    Fault(
        "gpt: the other norm's weights",
        'layer_norm(p["norm2"], x))', 'layer_norm(p["norm1"], x))',
        'p["up"], layer_norm(p["norm1"]', "self.norm2(x)", r"norm|weight|param",
    ),
    Fault(
        "gpt: one layer less",
        'for p in params["blocks"]:', 'for p in params["blocks"][:-1]:',
        '["blocks"][:-1]', "x = block(x)", r"layer|block|left out|missing|skip",
        'params["norm"]', "self.norm1(",
    ),
    Fault(
        "gpt: final norm left out",
        'layer_norm(params["norm"], x) @', "x @",
        'return x @ params["token"]', "self.norm(x)", r"norm|left out|missing|skip",
    ),
    Fault(
        "gpt: scaled embedding",
        'params["token"]["weight"][tokens]', 'params["token"]["weight"][tokens] * 32**0.5',
        "* 32**0.5", "self.token(tokens)", r"scale|factor|divi|times",
    ),
]  # fmt: skip

_RESNET = [
    Fault(
        "resnet: epsilon of Keras",
        "partial(nnx.BatchNorm, ", "partial(nnx.BatchNorm, epsilon=1e-3, ",
        "self.norm1(x)", "self.norm1(x)", r"eps",
    ),
    Fault(
        "resnet: statistics of the batch",
        "partial(nnx.BatchNorm, use_running_average=True", "partial(nnx.BatchNorm",
        "self.norm1(x)", "self.norm1(x)", r"running|batch|train|eval",
    ),
    Fault(
        "resnet: running variance left behind",
        "        layer.var[...] = jnp.array(theirs.running_var.numpy())\n", "",
        "self.norm1(x)", "self.norm1(x)", r"var|statist|buffer|weight|param",
    ),
    Fault(
        "resnet: deviation for variance",
        "theirs.running_var.numpy()", "theirs.running_var.sqrt().numpy()",
        "self.norm1(x)", "self.norm1(x)", r"var|statist|buffer|weight|param|sqrt|root",
    ),
    Fault(
        "resnet: norms' biases left behind",
        "if theirs.bias is not None:",
        "if theirs.bias is not None and not isinstance(layer, nnx.BatchNorm):",
        "self.norm1(x)", "self.norm1(x)", r"bias|weight|param",
    ),
    Fault(
        "resnet: first convolution padded the same",
        "padding=3", 'padding="SAME"',
        "self.conv(", "self.conv(x)", r"pad",
    ),
    Fault(
        "resnet: strided convolution padded the same",
        "stride, padding=1)", "stride)",
        "self.conv1(h)", "self.conv1(h)", r"pad",
    ),
    Fault(
        "resnet: maximum padded the same",
        "x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        'x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding="SAME")',
        "nnx.max_pool(", "self.pool(x)", r"pad",
    ),
    Fault(
        "resnet: maximum with zeros around",
        "nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        "nnx.max_pool(jnp.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)]), (3, 3), strides=(2, 2))",
        "nnx.max_pool(", "self.pool(x)", r"pad|zero|inf",
    ),
    Fault(
        "resnet: average for maximum",
        "nnx.max_pool(", "nnx.avg_pool(",
        "x = nnx.avg_pool(", "self.pool(x)", r"max|avg|average|mean",
    ),
    Fault(
        "resnet: average without the padding",
        "nnx.avg_pool(x, (3, 3), ", "nnx.avg_pool(x, (3, 3), count_include_pad=False, ",
        "nnx.avg_pool(", "F.avg_pool2d(", r"pad|count",
    ),
    Fault(
        "resnet: average padded the same",
        "y = nnx.avg_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        'y = nnx.avg_pool(x, (3, 3), strides=(2, 2), padding="SAME")',
        "nnx.avg_pool(", "F.avg_pool2d(", r"pad",
    ),
    Fault(
        "resnet: flattened with the channels last",
        "y.transpose(0, 3, 1, 2).reshape(len(y), -1)", "y.reshape(len(y), -1)",
        "y.reshape(len(y), -1)", "x.flatten(1)", r"order|axes|transpos|layout|nhwc|channel|reshape",
        "self.head(y)", "self.head(",
    ),
    Fault(
        "resnet: kernels' height and width swapped",
        "weight.transpose(2, 3, 1, 0)", "weight.T",
        "self.conv(", "self.conv(x)", r"kernel|transpos|axes|order|layout|weight",
    ),
    Fault(
        "resnet: kernels flipped",
        "weight.transpose(2, 3, 1, 0)", "weight[:, :, ::-1, ::-1].transpose(2, 3, 1, 0)",
        "self.conv(", "self.conv(x)", r"kernel|flip|revers|order|weight",
    ),
    Fault(
        "resnet: shortcut before the norm",
        "self.shortcut(h)", "self.shortcut(x)",
        "self.shortcut(x)", "self.shortcut(h)", r"input|operand|instead",
    ),
    Fault(
        "resnet: shortcut left out",
        "return shortcut + h", "return h",
        "return h", "return shortcut + h", r"resid|shortcut|add|left out|missing|skip",
        "self.norm1(x)",
    ),
    Fault(
        "resnet: leaky relu for relu",
        "nnx.relu(self.norm2(h))", "nnx.leaky_relu(self.norm2(h))",
        "nnx.leaky_relu(", "F.relu(self.norm2(h))", r"relu|activation|slope",
    ),
    Fault(
        "resnet: activation before the norm",
        "nnx.relu(self.norm1(x))", "self.norm1(nnx.relu(x))",
        "self.norm1(nnx.relu(x))", "F.relu(self.norm1(x))", r"leaves out",
    ),
    Fault(
        "resnet: final norm left out",
        "nnx.relu(self.norm(x))", "nnx.relu(x)",
        "nnx.relu(x)", "F.relu(self.norm(x))", r"norm|left out|missing|skip",
    ),
    Fault(
        "resnet: bfloat16 convolutions",
        "partial(nnx.Conv, ", "partial(nnx.Conv, dtype=jnp.bfloat16, ",
        "self.conv1(h)", "self.conv1(h)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip

_LSTM = [
    Fault(
        "lstm: gates in another order",
        "i, f, g, o = jnp.split", "i, f, o, g = jnp.split",
        "i, f, o, g = jnp.split", "self.lstm(x)", r"in place of tanh",
        "jnp.tanh(g)",
    ),
    Fault(
        "lstm: forget gate and input gate swapped",
        "jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i)", "jax.nn.sigmoid(i) * c + jax.nn.sigmoid(f)",
        "jax.nn.sigmoid(i) * c", "self.lstm(x)", r"instead of",
    ),
    Fault(
        "lstm: one added to the forget gate",
        "jax.nn.sigmoid(f) * c", "jax.nn.sigmoid(f + 1.0) * c",
        "sigmoid(f + 1.0)", "self.lstm(x)", r"only JAX adds 1",
    ),
    Fault(
        "lstm: forget gate tied to the input gate",
        "jax.nn.sigmoid(f) * c", "(1 - jax.nn.sigmoid(i)) * c",
        "(1 - jax.nn.sigmoid(i))", "self.lstm(x)", None,
    ),
    Fault(
        "lstm: cell's tanh left out",
        "jax.nn.sigmoid(o) * jnp.tanh(c)", "jax.nn.sigmoid(o) * c",
        "jax.nn.sigmoid(o) * c", "self.lstm(x)", None,
    ),
    Fault(
        "lstm: hard sigmoid",
        "jax.nn.sigmoid(i)", "jax.nn.hard_sigmoid(i)",
        "hard_sigmoid(i)", "self.lstm(x)", None,
    ),
    Fault(
        "lstm: second bias left out",
        ' + p["bias_hh"]', "",
        'h @ p["weight_hh"].T', "self.lstm(x)", r"bias",
    ),
    Fault(
        "lstm: starts with ones",
        "jnp.zeros((", "jnp.ones((",
        "jnp.ones((", "self.lstm(x)", None,
        'h @ p["weight_hh"].T',
    ),
    Fault(
        "lstm: cell for state",
        "return (h, c), h", "return (h, c), c",
        "return (h, c), c", "self.lstm(x)", None,
        'linear(params["tags"]', "self.tags(",
        named=(True, False),
    ),
    Fault(
        "lstm: second direction runs forward",
        'x, reverse=True)', "x)",
        'lstm(params["backward"], x)', "self.lstm(x)", None,
    ),
    Fault(
        "lstm: second direction's states stay backward",
        "x, reverse=True)", "x[::-1])",
        "x[::-1])", "self.lstm(x)", r"revers|direction|flip|order",
        'linear(params["tags"]', "self.tags(",
    ),
    Fault(
        "lstm: both directions with the first one's weights",
        'lstm(params["backward"], x,', 'lstm(params["forward"], x,',
        'lstm(params["forward"], x, reverse=True)', "self.lstm(x)",
        None,
    ),
    Fault(
        "lstm: directions' weights swapped",
        '"backward" if kind.endswith("_reverse") else "forward"',
        '"forward" if kind.endswith("_reverse") else "backward"',
        'lstm(params["forward"], x)', "self.lstm(x)", None,
        named=(True, False),
    ),
    Fault(
        "lstm: last outputs for last states",
        "[last, first]", "[forward[-1], backward[-1]]",
        "backward[-1]", "[last[0], last[1]]", r"last|state|index|slice|instead|operand",
        'linear(params["dense"]', "self.dense(",
    ),
    Fault(
        "lstm: directions in the other order",
        "[forward, backward]", "[backward, forward]",
        "[backward, forward]", "self.lstm(x)", r"order|swap|concat",
        'linear(params["tags"]', "self.tags(",
    ),
    Fault(
        "lstm: square weight not transposed",
        'jnp.tanh(linear(params["dense"], summary))',
        'jnp.tanh(summary @ params["dense"]["weight"] + params["dense"]["bias"])',
        '@ params["dense"]["weight"]', "self.dense(summary)", r"transpos",
    ),
    Fault(
        "lstm: tanh left out of the dense layer",
        'jnp.tanh(linear(params["dense"], summary))', 'linear(params["dense"], summary)',
        'summary = linear(params["dense"]', "torch.tanh(", r"tanh|activation|left out|missing|skip",
        'linear(params["intent"]',
    ),
    Fault(
        "lstm: vocabulary from one",
        '["weight"][tokens]', '["weight"][tokens - 1]',
        "[tokens - 1]", "self.embedding(tokens)", None,
    ),
    Fault(
        "lstm: bfloat16 embedding",
        '["weight"][tokens]', '["weight"][tokens].astype(jnp.bfloat16)',
        "astype(jnp.bfloat16)", "self.embedding(tokens)", r"bfloat16|precision|dtype",
        named=(False, True),
    ),
]  # fmt: skip

_VAE = [
    Fault(
        "vae: variance for deviation",
        "jnp.exp(0.5 * logvar) * noise", "jnp.exp(logvar) * noise",
        "jnp.exp(logvar) * noise", "torch.exp(0.5 * logvar)",
        None,
    ),
    Fault(
        "vae: noise not scaled",
        "jnp.exp(0.5 * logvar) * noise", "noise",
        "z = mean + noise", "torch.exp(0.5 * logvar)", r"leaves out",
    ),
    Fault(
        "vae: logarithm for deviation",
        "jnp.exp(0.5 * logvar) * noise", "logvar * noise",
        "logvar * noise", "torch.exp(0.5 * logvar)", None,
    ),
    Fault(
        "vae: mean and variance swapped",
        "mean, logvar = jnp.split", "logvar, mean = jnp.split",
        "logvar, mean = jnp.split", "mean, logvar = self.stats", r"swap|order|instead|operand",
        "jnp.exp(0.5 * logvar) * noise", "torch.exp(0.5 * logvar) * noise",
    ),
    Fault(
        "vae: transposed kernels not flipped",
        "jnp.flip(weight.swapaxes(0, 1), (2, 3))", "weight.swapaxes(0, 1)",
        "self.up1(h)", "self.up1(h)", r"flip|revers|kernel|weight",
    ),
    Fault(
        "vae: transposed kernels flipped along one axis",
        "jnp.flip(weight.swapaxes(0, 1), (2, 3))", "jnp.flip(weight.swapaxes(0, 1), 2)",
        "self.up1(h)", "self.up1(h)", None,
    ),
    Fault(
        "vae: biases left behind",
        "bias = bias.reshape(layer.bias.shape)", "bias = jnp.zeros_like(layer.bias)",
        "self.conv1(x)", "self.conv1(x)", r"bias|weight|param",
    ),
    Fault(
        "vae: strided convolution padded the same",
        "eqx.nn.Conv2d(1, 8, 3, 2, padding=1,", 'eqx.nn.Conv2d(1, 8, 3, 2, padding="SAME",',
        "self.conv1(x)", "self.conv1(x)", r"pad",
    ),
    Fault(
        "vae: relu for elu",
        "jax.nn.elu(self.conv2(h))", "jax.nn.relu(self.conv2(h))",
        "jax.nn.relu(self.conv2(h))", "F.elu(self.conv2(h))", r"elu|activation",
    ),
    Fault(
        "vae: selu for elu",
        "jax.nn.elu(self.dense(z))", "jax.nn.selu(self.dense(z))",
        "jax.nn.selu(", "F.elu(self.dense(z))", r"in place of alpha",
    ),
    Fault(
        "vae: hard sigmoid",
        "jax.nn.sigmoid(self.up2(h))", "jax.nn.hard_sigmoid(self.up2(h))",
        "jax.nn.hard_sigmoid(", "torch.sigmoid(", r"sigmoid|activation",
    ),
    Fault(
        "vae: flattened with the channels last",
        "h.ravel()", "h.transpose(1, 2, 0).ravel()",
        "h.transpose(1, 2, 0).ravel()", "h.flatten(1)",
        r"order|axes|transpos|layout|channel|reshape",
    ),
    Fault(
        "vae: channels last before the transposed convolution",
        "h.reshape(16, 4, 4)", "h.reshape(4, 4, 16).transpose(2, 0, 1)",
        "h.reshape(4, 4, 16)", "h.view(-1, 16, 4, 4)",
        None,
        "self.up1(h)", "self.up1(h)",
    ),
    Fault(
        "vae: mean over the latent numbers",
        ".sum(-1).mean()", ".mean()",
        "divergence = -0.5 *", ".sum(-1).mean()", r"in place of dim",
    ),
    Fault(
        "vae: divergence not halved",
        "-0.5 * (1 + logvar", "-(1 + logvar",
        "divergence = -(1", "divergence = -0.5 *", r"2 times",
    ),
    Fault(
        "vae: squared error for the likelihood",
        "-(x * jnp.log(y) + (1 - x) * jnp.log1p(-y)).sum()", "((x - y) ** 2).sum()",
        "(x - y) ** 2", "F.binary_cross_entropy(", None,
    ),
    Fault(
        "vae: likelihood of each pixel",
        ".sum() / len(x)", ".mean()",
        "likelihood = -(x", "F.binary_cross_entropy(", r"sum|mean|reduction|factor|scale|times",
    ),
    Fault(
        "vae: bfloat16 latent numbers",
        "self.dense(z)", "self.dense(z.astype(jnp.bfloat16))",
        "z.astype(jnp.bfloat16)", "self.dense(z)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip

_ALIGNED = """jax.image.scale_and_translate(
            h,
            (*a.shape[:3], 16),
            (1, 2),
            jnp.full(2, 15 / 7),
            jnp.full(2, 0.5 - 0.5 * 15 / 7),
            "bilinear",
        )"""
_FROM_CORNERS = """jax.image.scale_and_translate(
            h, (*a.shape[:3], 16), (1, 2), jnp.full(2, 2.0), jnp.full(2, -0.5), "bilinear"
        )"""

_UNET = [
    Fault(
        "unet: epsilon of Keras",
        "epsilon=1e-5", "epsilon=1e-3",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"eps",
    ),
    Fault(
        "unet: two groups for four",
        "num_groups=4", "num_groups=2",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"group",
    ),
    Fault(
        "unet: four channels a group for four groups",
        "num_groups=4", "num_groups=None, group_size=4",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"group",
    ),
    Fault(
        "unet: layer norm for group norm",
        'Norm(name="norm")(h)', 'nn.LayerNorm(epsilon=1e-5, name="norm")(h)',
        'nn.LayerNorm(', "self.norm(h)", r"in place of dim",
    ),
    Fault(
        "unet: gelu for silu",
        'nn.silu(Norm(name="norm2")(h))', 'nn.gelu(Norm(name="norm2")(h), approximate=False)',
        "nn.gelu(", "F.silu(self.norm2(h))", r"silu|swish|gelu|activation",
    ),
    Fault(
        "unet: swish with a factor",
        'h = nn.silu(Norm(name="norm1")(x))',
        'h = Norm(name="norm1")(x)\n        h = h * nn.sigmoid(1.702 * h)',
        "nn.sigmoid(1.702 * h)", "F.silu(self.norm1(x))", r"silu|swish|activation|factor|1\.702",
    ),
    Fault(
        "unet: activation before the norm",
        'nn.silu(Norm(name="norm1")(x))', 'Norm(name="norm1")(nn.silu(x))',
        'Norm(name="norm1")(nn.silu(x))', "F.silu(self.norm1(x))", r"leaves out",
    ),
    Fault(
        "unet: last activation left out",
        'nn.silu(Norm(name="norm")(h))', 'Norm(name="norm")(h)',
        'h = Norm(name="norm")(h)', "F.silu(self.norm(h))",
        None,
        'name="head"',
    ),
    Fault(
        "unet: strided convolution padded the same",
        'nn.Conv(16, (3, 3), strides=2, padding=1, name="down1")',
        'nn.Conv(16, (3, 3), strides=2, name="down1")',
        'name="down1"', "self.down1(a)", r"pad",
    ),
    Fault(
        "unet: kernels' height and width swapped",
        "transpose(2, 3, 1, 0)", "transpose(3, 2, 1, 0)",
        'name="stem"', "self.stem(x)", r"kernel|transpos|axes|order|layout|weight",
    ),
    Fault(
        "unet: bilinear for nearest",
        '"nearest"', '"bilinear"',
        "(*b.shape[:3], 24)", 'mode="nearest"', r"nearest|linear|interpol",
    ),
    Fault(
        "unet: nearest for bilinear",
        '"bilinear"', '"nearest"',
        "(*a.shape[:3], 16)", 'mode="bilinear"', r"nearest|linear|interpol",
    ),
    Fault(
        "unet: bicubic for bilinear",
        '"bilinear"', '"bicubic"',
        "(*a.shape[:3], 16)", 'mode="bilinear"', r"cubic|linear|interpol",
    ),
    Fault(
        "unet: aligned corners",
        'jax.image.resize(h, (*a.shape[:3], 16), "bilinear")', _ALIGNED,
        "jax.image.scale_and_translate(", 'mode="bilinear"', r"align|corner|cent",
    ),
    Fault(
        "unet: pixels' corners for centres",
        'jax.image.resize(h, (*a.shape[:3], 16), "bilinear")', _FROM_CORNERS,
        "jax.image.scale_and_translate(", 'mode="bilinear"', None,
    ),
    Fault(
        "unet: skip in the other order",
        "[h, b]", "[b, h]",
        "[b, h]", "[h, b]", None,
    ),
    Fault(
        "unet: skip from before the block",
        "[h, a]", "[h, x]",
        "[h, x]", "[h, a]", r"instead|operand|skip",
    ),
    Fault(
        "unet: shortcut left out",
        'return h + nn.Conv(self.features, (1, 1), name="shortcut")(x)', "return h",
        "return h", "h + self.shortcut(x)", None,
        'name="down1"',
    ),
    Fault(
        "unet: last bias left out",
        'padding=1, name="head"', 'padding=1, use_bias=False, name="head"',
        'name="head"', "self.head(h)", r"bias",
    ),
    Fault(
        "unet: bfloat16 convolution",
        'padding=1, name="down2"', 'padding=1, dtype=jnp.bfloat16, name="down2"',
        'name="down2"', "self.down2(b)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip

_RESET_AND_UPDATE = """reset = jax.nn.sigmoid(x_reset + h_reset)
    update = jax.nn.sigmoid(x_update + h_update)"""
_UPDATE_AND_RESET = """update = jax.nn.sigmoid(x_reset + h_reset)
    reset = jax.nn.sigmoid(x_update + h_update)"""

_MESSAGES = [
    Fault(
        "messages: sums at the edges' other ends",
        "segment_sum(m, targets, len(h))", "segment_sum(m, sources, len(h))",
        "segment_sum(m, sources", "index_add(0, targets, m)", r"instead of",
    ),
    Fault(
        "messages: ends in the other order",
        "[h[sources], h[targets]]", "[h[targets], h[sources]]",
        "[h[targets], h[sources]]", "[h[sources], h[targets]]", r"order|swap|concat",
        'linear(p["message"]', "self.message(pairs)",
    ),
    Fault(
        "messages: maximum for sum",
        "total = segment_sum(", "total = jax.ops.segment_max(",
        "jax.ops.segment_max(", "index_add(0, targets, m)", r"at indices",
    ),
    Fault(
        "messages: mean for sum",
        "total = segment_sum(m, targets, len(h))",
        "sizes = jnp.bincount(targets, length=len(h))[:, None]\n"
        "    total = segment_sum(m, targets, len(h)) / sizes",
        "len(h)) / sizes", "index_add(0, targets, m)", r"leaves out",
    ),
    Fault(
        "messages: sum of a graph for its mean",
        "sums / sizes[:, None]", "sums",
        'linear(params["head"], sums)', "sums / sizes[:, None]",
        r"leaves out",
        named=(True, False),
    ),
    Fault(
        "messages: loops left out",
        "jnp.append(sources, loops), jnp.append(targets, loops)", "sources, targets",
        "sources, targets = sources, targets", "[sources, loops]",
        None,
        "degree = segment_sum(", "degree = torch.zeros(",
        named=(True, False),
    ),
    Fault(
        "messages: degree of the sources",
        "segment_sum(ones, targets,", "segment_sum(ones, sources,",
        "segment_sum(ones, sources,", "index_add(0, targets, ones)",
        r"instead of",
    ),
    Fault(
        "messages: root of the degrees left out",
        "jax.lax.rsqrt(degree[sources] * degree[targets])",
        "1 / (degree[sources] * degree[targets])",
        "weight = 1 / (degree", ".rsqrt()", r"the squares of",
    ),
    Fault(
        "messages: weight of the target alone",
        "jax.lax.rsqrt(degree[sources] * degree[targets])", "1 / degree[targets]",
        "weight = 1 / degree[targets]", ".rsqrt()", None,
    ),
    Fault(
        "messages: messages not weighted",
        "    m = m * weight[:, None]\n", "",
        "segment_sum(m, targets", "m = m * weight", r"leaves out",
    ),
    Fault(
        "messages: slope of graph attention",
        'leaky_relu(linear(p["message"], pairs))', 'leaky_relu(linear(p["message"], pairs), 0.2)',
        "pairs), 0.2)", "F.leaky_relu(", r"slope|0\.2|0\.01|relu|activation",
    ),
    Fault(
        "messages: message's bias left out",
        'linear(p["message"], pairs)', 'pairs @ p["message"]["weight"].T',
        'pairs @ p["message"]["weight"].T', "self.message(pairs)", None,
    ),
    Fault(
        "messages: reset gate on both terms",
        "jnp.tanh(x_new + reset * h_new)", "jnp.tanh(reset * (x_new + h_new))",
        "reset * (x_new + h_new)", "self.update(total, h)", None,
    ),
    Fault(
        "messages: new and old state swapped",
        "(1 - update) * new + update * h", "update * new + (1 - update) * h",
        "update * new + (1 - update) * h", "self.update(total, h)", None,
    ),
    Fault(
        "messages: gates in Keras's order",
        _RESET_AND_UPDATE, _UPDATE_AND_RESET,
        "update = jax.nn.sigmoid(x_reset", "self.update(total, h)", r"instead of",
        "reset * h_new",
    ),
    Fault(
        "messages: state and messages swapped",
        'gru(p["update"], total, h)', 'gru(p["update"], h, total)',
        'gru(p["update"], h, total)', "self.update(total, h)", r"instead of",
    ),
    Fault(
        "messages: the first layer's weights twice",
        "h = layer(p, h, sources", 'h = layer(params["layers"][0], h, sources',
        'h = layer(params["layers"][0]', "h = layer(h, sources", r"weight|param|layer",
    ),
    Fault(
        "messages: one layer less",
        'for p in params["layers"]:', 'for p in params["layers"][1:]:',
        '["layers"][1:]', "h = layer(h, sources", r"layer|left out|missing|skip",
        'linear(p["message"]', "self.message(pairs)",
    ),
    Fault(
        "messages: update's weights swapped",
        '"update": weights(x.update)}',
        '"update": dict(zip(["weight_hh", "weight_ih", "bias_ih", "bias_hh"],'
        " weights(x.update).values(), strict=True))}",
        'x @ p["weight_ih"].T', "self.update(total, h)", r"weight|param|swap",
    ),
    Fault(
        "messages: bfloat16 messages",
        "m = m * weight[:, None]", "m = (m * weight[:, None]).astype(jnp.bfloat16)",
        "astype(jnp.bfloat16)", "m = m * weight", r"bfloat16|precision|dtype",
        named=(False, True),
    ),
]  # fmt: skip

FAULTS = [*_GPT, *_RESNET, *_LSTM, *_VAE, *_UNET, *_MESSAGES]

# Both can be planted in one file, and both change what it returns.
PAIRS_OF_FAULTS = [
    ("gpt: gelu by tanh", "gpt: tile for repeat"),
    ("gpt: bias left out", "gpt: mask lets one ahead"),
    ("gpt: base of rotary positions", "gpt: final norm left out"),
    ("gpt: no scale", "gpt: the other norm's weights"),
    ("resnet: first convolution padded the same", "resnet: average without the padding"),
    ("resnet: epsilon of Keras", "resnet: flattened with the channels last"),
    ("resnet: maximum with zeros around", "resnet: leaky relu for relu"),
    ("lstm: second bias left out", "lstm: last outputs for last states"),
    ("lstm: one added to the forget gate", "lstm: square weight not transposed"),
    ("lstm: vocabulary from one", "lstm: directions in the other order"),
    ("vae: relu for elu", "vae: variance for deviation"),
    ("vae: strided convolution padded the same", "vae: transposed kernels not flipped"),
    ("vae: hard sigmoid", "vae: divergence not halved"),
    ("unet: gelu for silu", "unet: skip in the other order"),
    ("unet: strided convolution padded the same", "unet: aligned corners"),
    ("messages: degree of the sources", "messages: reset gate on both terms"),
    ("messages: slope of graph attention", "messages: sum of a graph for its mean"),
    ("messages: ends in the other order", "messages: new and old state swapped"),
]
