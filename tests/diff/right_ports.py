"""Right ports, some of them written quite otherwise than what they are ports of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planting import MODELS, load, plant

KINDS = ["gpt", "resnet", "lstm", "vae", "unet", "messages"]

# A port's name, the model, and texts of its JAX file with what stands there instead.
_REWRITES = [
    ("scale on the queries", "gpt", [
        ("rotate(q), rotate(k)", "rotate(q) * (width // heads) ** -0.5, rotate(k)"),
        (" / (width // heads) ** 0.5", ""),
    ]),
    ("variance from squares", "gpt", [
        ("x.var(-1, keepdims=True)", "(x * x).mean(-1, keepdims=True) - mean * mean"),
    ]),
    # Only differences of positions count.
    ("positions from one", "gpt", [("jnp.arange(length)", "jnp.arange(1, length + 1)")]),
    ("masked by a large number", "gpt", [("-jnp.inf", "-1e9")]),
    ("an example at a time", "gpt", [
        ("x = block(p, x, heads, groups)",
         "x = jax.vmap(lambda y, p=p: block(p, y[None], heads, groups)[0])(x)"),
    ]),
    ("blocks checkpointed", "gpt", [
        ("block(p, x, heads", "jax.checkpoint(block, static_argnums=(2, 3))(p, x, heads"),
    ]),
    ("blocks compiled", "gpt", [
        ("block(p, x, heads", "jax.jit(block, static_argnums=(2, 3))(p, x, heads"),
    ]),
    ("compiled", "gpt", [("return gpt, params", "return jax.jit(gpt), params")]),
    ("channels repeated, not resized", "unet", [
        ('jax.image.resize(h, (*b.shape[:3], 24), "nearest")',
         "h.repeat(2, axis=1).repeat(2, axis=2)"),
    ]),
    ("activation written out", "unet", [
        ('h = nn.silu(Norm(name="norm1")(x))',
         'h = Norm(name="norm1")(x)\n        h *= nn.sigmoid(h)'),
    ]),
    ("tanh from a sigmoid", "lstm", [("jnp.tanh(g)", "(2 * jax.nn.sigmoid(2 * g) - 1)")]),
    ("biases summed first", "lstm", [
        (' + p["bias_ih"] + h @ p["weight_hh"].T + p["bias_hh"]',
         ' + h @ p["weight_hh"].T + (p["bias_ih"] + p["bias_hh"])'),
    ]),
    ("deviation by a root", "vae", [("jnp.exp(0.5 * logvar)", "jnp.sqrt(jnp.exp(logvar))")]),
    ("messages added in place", "messages", [
        ("segment_sum(m, targets, len(h))", "jnp.zeros_like(h).at[targets].add(m)"),
    ]),
    ("edges in another order", "messages", [
        ("jnp.append(sources, loops), jnp.append(targets, loops)",
         "jnp.append(loops, sources[::-1]), jnp.append(loops, targets[::-1])"),
    ]),
]  # fmt: skip


def right_ports(folder: Path) -> Iterator[tuple[str, Any, Any, tuple]]:
    """Yield a name, two sides that are the same, and their inputs; copies go below ``folder``."""
    models = {kind: load(MODELS / f"{kind}_torch.py") for kind in KINDS}
    for kind, module in models.items():
        model = module.make()
        port = load(MODELS / f"{kind}_jax.py").make(model)
        yield f"{kind}: port", model, port, module.inputs()
        for path in sorted(MODELS.glob(f"{kind}_*.py")):
            if path.stem not in (f"{kind}_torch", f"{kind}_jax"):
                other = load(path).make(model)
                yield f"{kind}: {path.stem}", model, other, module.inputs()
                yield f"{kind}: {path.stem}, and the port", other, port, module.inputs()
    for name, kind, replacements in _REWRITES:
        model = models[kind].make()
        port = plant(f"{kind}_jax.py", *replacements, folder=folder).make(model)
        yield f"{kind}: {name}", model, port, models[kind].inputs()
