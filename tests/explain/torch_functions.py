"""Functions of PyTorch, each with its arguments."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn, functional, distributions = torch.nn, torch.nn.functional, torch.distributions


@dataclass(frozen=True)
class Call:
    """A library's function and its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Call:
    return Call(function, args, kwargs)


def x(*shape: int) -> Any:
    """Numbers from -1 to 1, of any shape."""
    return torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape)


def of(module: str, name: str) -> Any:
    """Something of a library that need not be installed."""
    package = module.partition(".")[0]
    pytest.importorskip(package, reason=f"{package} is not installed")
    return getattr(importlib.import_module(module), name)


TORCH_NN = {
    "Linear": lambda: call(nn.Linear(4, 3), x(2, 4)),
    "LayerNorm": lambda: call(nn.LayerNorm(4), x(2, 4)),
    "MultiheadAttention": lambda: call(
        nn.MultiheadAttention(8, 2, batch_first=True), *(x(2, 3, 8),) * 3
    ),
    "TransformerEncoderLayer": lambda: call(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), x(2, 3, 8)
    ),
    "GRUCell": lambda: call(nn.GRUCell(4, 3), x(2, 4)),
    "BatchNorm1d in training": lambda: call(nn.BatchNorm1d(4), x(6, 4)),
    "BatchNorm1d in evaluation": lambda: call(nn.BatchNorm1d(4).eval(), x(6, 4)),
    "Dropout": lambda: call(nn.Dropout(0.5), x(2, 4)),
    "Embedding": lambda: call(nn.Embedding(5, 3), torch.tensor([0, 3])),
    "CrossEntropyLoss": lambda: call(
        nn.CrossEntropyLoss(label_smoothing=0.1), x(4, 5), torch.arange(4)
    ),
    "Sequential": lambda: call(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), x(2, 4)),
    "Conv2d": lambda: call(nn.Conv2d(1, 2, 3, padding=1, padding_mode="circular"), x(1, 1, 5, 5)),
    "AdaptiveLogSoftmaxWithLoss": lambda: call(
        nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4], div_value=1), x(5, 4), torch.arange(5)
    ),
    "triplet_margin_with_distance_loss": lambda: call(
        functional.triplet_margin_with_distance_loss, x(2, 4), x(2, 4) * 2, x(2, 4) - 1
    ),
    "normalize": lambda: call(functional.normalize, x(2, 4)),
    "scaled_dot_product_attention": lambda: call(
        functional.scaled_dot_product_attention, *(x(1, 2, 3, 4),) * 3
    ),
    "parameters_to_vector": lambda: call(nn.utils.parameters_to_vector, [x(4, 2), x(3, 2)]),
    "pad_sequence": lambda: call(nn.utils.rnn.pad_sequence, [x(4, 2), x(3, 2)]),
    "clip_grad_norm_": lambda: call(nn.utils.clip_grad_norm_, [with_grad(3)], 1.0),
    "clip_grad_norm_, error_if_nonfinite": lambda: call(
        nn.utils.clip_grad_norm_, [with_grad(3)], 1.0, error_if_nonfinite=True
    ),
}


def with_grad(size: int) -> Any:
    parameter = nn.Parameter(x(size))
    parameter.grad = x(size)
    return parameter


def normal(mean: float, **kwargs: Any) -> Any:
    return distributions.Normal(torch.full((3,), mean), torch.ones(3), **kwargs)


def forgotten(*kinds: type) -> None:
    """The library caches its result for a pair of distributions; this clears that cache."""
    distributions.kl._KL_MEMOIZE.pop(kinds, None)


def first_kl_divergence() -> Call:
    forgotten(distributions.Gamma, distributions.Gamma)
    gamma = distributions.Gamma(torch.ones(3), torch.ones(3))
    return call(distributions.kl_divergence, gamma, gamma)


def later_kl_divergence() -> Call:
    distributions.kl_divergence(normal(0.0), normal(1.0))
    return call(distributions.kl_divergence, normal(0.0), normal(1.0))


TORCH_DISTRIBUTIONS = {
    "Normal.log_prob": lambda: call(normal(0.0).log_prob, x(3)),
    "Normal.cdf, validated": lambda: call(normal(0.0, validate_args=True).cdf, x(3)),
    "Categorical.sample": lambda: call(distributions.Categorical(logits=x(4)).sample, (5,)),
    "Bernoulli.entropy": lambda: call(distributions.Bernoulli(logits=x(3)).entropy),
    "Beta.rsample": lambda: call(distributions.Beta(torch.ones(2), torch.ones(2)).rsample, (2,)),
    "MultivariateNormal.log_prob": lambda: call(
        distributions.MultivariateNormal(torch.zeros(3), torch.eye(3)).log_prob, x(2, 3)
    ),
    "LogNormal.log_prob": lambda: call(
        distributions.LogNormal(torch.zeros(3), torch.ones(3)).log_prob, x(3).exp()
    ),
    "MixtureSameFamily.log_prob": lambda: call(
        distributions.MixtureSameFamily(
            distributions.Categorical(torch.ones(3)), normal(0.0)
        ).log_prob,
        x(4),
    ),
    "StickBreakingTransform": lambda: call(distributions.StickBreakingTransform(), x(3)),
    "kl_divergence, first": first_kl_divergence,
    "kl_divergence, later": later_kl_divergence,
}


def functional_call() -> Call:
    model = nn.Linear(4, 3)
    return call(torch.func.functional_call, model, dict(model.named_parameters()), (x(2, 4),))


def sgd(step: Callable[..., Any]) -> Call:
    return call(
        step,
        [x(3)],
        [x(3)],
        [None],
        weight_decay=0.1,
        momentum=0.9,
        lr=0.1,
        dampening=0.0,
        nesterov=False,
        maximize=False,
        foreach=False,
    )


def adam(step: Callable[..., Any]) -> Call:
    moments = [torch.zeros(3)], [torch.zeros(3)]
    return call(
        step,
        [x(3)],
        [x(3)],
        *moments,
        [],
        [torch.tensor(0.0)],
        foreach=False,
        amsgrad=False,
        beta1=0.9,
        beta2=0.99,
        lr=0.1,
        weight_decay=0.0,
        eps=1e-8,
        maximize=False,
    )


TORCH_FUNC_AND_OPTIM = {
    "vmap": lambda: call(
        torch.func.vmap(of("torch.optim.swa_utils", "get_ema_avg_fn")(0.9)),
        x(3, 2),
        x(3, 2) * 2,
        torch.ones(3),
    ),
    "grad": lambda: call(torch.func.grad(distributions.utils.logits_to_probs), x()),
    "hessian": lambda: call(
        torch.func.hessian(of("torch.optim.swa_utils", "get_ema_avg_fn")(0.9)),
        x(2),
        x(2),
        torch.tensor(1),
    ),
    "functional_call": functional_call,
    "sgd": lambda: sgd(of("torch.optim.sgd", "sgd")),
    "adam": lambda: adam(of("torch.optim.adam", "adam")),
    "SGD.step": lambda: call(torch.optim.SGD([with_grad(3)], lr=0.1).step),
}
