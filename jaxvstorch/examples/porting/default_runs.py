"""The port beside runs that leave one default alone: all the runs, and a panel for each."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import optax

from jaxvstorch.examples.porting import data, jax_dropout, torch_module
from jaxvstorch.examples.porting import jax_defaults as left
from jaxvstorch.examples.porting.settings import RATE, WEIGHT_DECAY

STEPS = 120
MODELS = (
    "epsilon", "momentum", "momentum_copied", "running_variance",
    "initialization", "padding", "kernel_order", "flatten_order",
)  # fmt: skip
# No training loss shows these.
IN_EVALUATION = ("momentum", "momentum_copied", "running_variance")


class Runs(NamedTuple):
    """The losses of the port and of each run with one default left alone."""

    port: left.Curves
    with_dropout: left.Curves  # the port with a layer of dropout
    others: dict[str, left.Curves]


def train_all() -> Runs:
    """Train each from the same weights on the same batches."""
    training, test = data.load()
    batches = list(data.batches(training, STEPS))
    model, _ = torch_module.make()
    start = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    by_step = optax.exponential_decay(RATE, 1, 0.7)

    def train(make: Any = left.ported, **settings: Any) -> left.Curves:
        return left.train(make(start), batches, test, **settings)

    others = {name: train(getattr(left, name)) for name in MODELS}
    others["weight_decay"] = train(optimizer=optax.adamw(RATE))
    others["sum_of_losses"] = train(reduce=jnp.sum)
    others["schedule"] = train(optimizer=optax.adamw(by_step, weight_decay=WEIGHT_DECAY))
    others["dropout_scale"] = train(jax_dropout.unscaled)
    return Runs(train(), train(jax_dropout.scaled), others)


def draw(runs: Runs) -> Any:
    """A figure with a panel for each default: its loss and the port's."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(6, 2, figsize=(4.8, 10), sharex=True)
    for panel, (name, run) in zip(panels.flat, runs.others.items(), strict=True):
        kept = runs.with_dropout if name == "dropout_scale" else runs.port
        shown = "evaluation" if name in IN_EVALUATION else "training"
        right, wrong = getattr(kept, shown), getattr(run, shown)
        steps = np.linspace(0, STEPS, len(right) + 1)[1:]
        panel.plot(steps, right, "--", color="gray", label="the port")
        panel.plot(steps, wrong, label="with this default left alone")
        gap = np.abs(np.subtract(right, wrong)).max()
        panel.set(title=f"{name.replace('_', ' ')}: {gap:.1g}", ylim=(0, None))
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
