"""Which calls of optax and of ``torch.optim`` make the same steps, as text that is evaluated.

In a call ``r`` is the learning rate and ``p`` are the parameters. No framework is imported here.
"""

from typing import Any, NamedTuple

import numpy as np

RATE, STEPS = 0.01, 20
Arrays = dict[str, Any]


def problem(dtype: str, steps: int = STEPS) -> tuple[Arrays, Arrays]:
    """A matrix and its bias, and ``steps`` gradients of each."""
    rng = np.random.default_rng(0)
    shapes = {"weight": (6, 4), "bias": (4,)}
    parameters = {name: rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    return parameters, {
        name: rng.standard_normal((steps, *shape)).astype(dtype) for name, shape in shapes.items()
    }


class Rule(NamedTuple):
    """One optimizer in both libraries.

    Attributes:
        name: what both call it.
        optax: the call of optax.
        torch: the call of ``torch.optim`` that makes the same steps, or comes nearest.
        optax_default: the call with the learning rate alone.
        torch_default: likewise.
        near: the largest difference after 20 steps, in float64, with parameters of about one and
            a learning rate of 0.01; 1e-14 or less is rounding.
    """

    name: str
    optax: str
    torch: str
    optax_default: str
    torch_default: str
    near: float = 1e-14


RULES = (
    Rule("SGD", "sgd(r)", "SGD(p, r)", "sgd(r)", "SGD(p, r)"),
    Rule("momentum", "sgd(r, 0.9)", "SGD(p, r, 0.9)", "sgd(r, 0.9)", "SGD(p, r, 0.9)"),
    Rule(
        "Nesterov",
        "sgd(r, 0.9, nesterov=True)",
        "SGD(p, r, 0.9, nesterov=True)",
        "sgd(r, 0.9, nesterov=True)",
        "SGD(p, r, 0.9, nesterov=True)",
    ),
    Rule("Adam", "adam(r)", "Adam(p, r)", "adam(r)", "Adam(p, r)"),
    Rule(
        "Adam with L2",
        "chain(add_decayed_weights(0.01), adam(r))",
        "Adam(p, r, weight_decay=0.01)",
        "adam(r)",
        "Adam(p, r)",
    ),
    Rule("Adamax", "adamax(r)", "Adamax(p, r)", "adamax(r)", "Adamax(p, r)"),
    Rule("Adadelta", "adadelta(r)", "Adadelta(p, r)", "adadelta(r)", "Adadelta(p, r)"),
    Rule("AdamW", "adamw(r, weight_decay=0.01)", "AdamW(p, r)", "adamw(r)", "AdamW(p, r)"),
    Rule(
        "RMSprop",
        "rmsprop(r, 0.99, eps_in_sqrt=False)",
        "RMSprop(p, r)",
        "rmsprop(r)",
        "RMSprop(p, r)",
    ),
    Rule(
        "RMSprop, centered",
        "rmsprop(r, 0.99, eps_in_sqrt=False, centered=True)",
        "RMSprop(p, r, centered=True)",
        "rmsprop(r, centered=True)",
        "RMSprop(p, r, centered=True)",
    ),
    Rule(
        "Adagrad", "adagrad(r, 0.0, eps=0.0)", "Adagrad(p, r)", "adagrad(r)", "Adagrad(p, r)", 1e-10
    ),
    Rule("RAdam", "radam(r)", "RAdam(p, r)", "radam(r)", "RAdam(p, r)", 1e-8),
    Rule(
        "Adafactor",
        "adafactor(r, min_dim_size_to_factor=1)",
        "Adafactor(p, r)",
        "adafactor(r)",
        "Adafactor(p, r)",
        1e-7,
    ),
    Rule(
        "AMSGrad",
        "amsgrad(r)",
        "Adam(p, r, amsgrad=True)",
        "amsgrad(r)",
        "Adam(p, r, amsgrad=True)",
        1,
    ),
    Rule("NAdam", "nadam(r)", "NAdam(p, r, momentum_decay=0)", "nadam(r)", "NAdam(p, r)", 1),
)
