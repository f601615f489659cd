"""Faults in a port of a network on graphs: `models/messages_jax.py`."""

from faults.fault import Fault

_RESET_AND_UPDATE = """reset = jax.nn.sigmoid(x_reset + h_reset)
    update = jax.nn.sigmoid(x_update + h_update)"""
_UPDATE_AND_RESET = """update = jax.nn.sigmoid(x_reset + h_reset)
    reset = jax.nn.sigmoid(x_update + h_update)"""

FAULTS = [
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
