"""Faults in a port of an LSTM: `models/lstm_jax.py`."""

from faults.fault import Fault

FAULTS = [
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
