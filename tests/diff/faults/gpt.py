"""Faults in a port of a transformer: `models/gpt_jax.py`."""

from faults.fault import Fault

FAULTS = [
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
