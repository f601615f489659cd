"""The tests of a draft: their text, and the values of PyTorch that they compare with."""

import copy
import inspect
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import jax
import numpy as np
import torch

from jaxvstorch._port.draft.making import layer_text, unlike_defaults
from jaxvstorch._port.draft.recorded import FirstCall, Given, Steps
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.same_draws import same_draws
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.draft.stepping import ROUNDING, begun, keep_largest, set_wide, torch_step
from jaxvstorch._port.draft.testing_words import NNX, Words, in_draft
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.map.running.values import DTYPES, array
from jaxvstorch._port.optimizer_steps import optax_of

SAMPLED = 4096  # about as many numbers of a result are kept
ROUNDED = 1 << 16  # an array of weights with more numbers is kept in float16


@dataclass
class Case:
    """One test.

    Attributes:
        name: of the part of the draft.
        wide: whether both frameworks compute in float64.
        draws: whether random numbers are handed over.
        words: the lines of the draft's style.
        lines: of the test, without its contexts.
        values: the arrays that it reads, by their names in the file.
    """

    name: str
    wide: bool
    draws: bool = False
    words: Words = NNX
    lines: list[str] = field(default_factory=list)
    values: dict[str, np.ndarray] = field(default_factory=dict)

    def keep(self, prefix: str, values: Mapping[str, np.ndarray]) -> None:
        """Keep values under names that begin with a prefix."""
        self.values |= {f"{prefix}/{name}": value for name, value in values.items()}

    def text(self, value: Any, name: str, given: Given | None = None, shown: str = "") -> str:
        """The Python for a value of the program; its arrays are kept under a name.

        Args:
            value: in PyTorch.
            name: for its arrays.
            given: what the module whose argument it is was made with.
            shown: the name as the test has it, if it is another.

        Raises:
            LookupError: the test cannot have it.
        """
        shown = shown or name
        if isinstance(value, torch.Tensor):
            self.values[name] = kept(value)
            return f'array(f"{shown}")' if "{" in shown else f'array("{shown}")'
        if isinstance(value, torch.nn.Module):
            if layer_name(value) is not None:
                return in_draft(layer_text(value))
            return self.made(value, given.inner.get(id(value)) if given else None)
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            return f"draft.{value.__name__}"
        if isinstance(value, torch.dtype):
            return f"jnp.dtype({np.dtype(DTYPES[value]).name!r})"
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or type(value) in (bool, int, float, str):
            return repr(value)
        if isinstance(value, torch.device):
            return repr(value.type)

        def inner(item: Any, key: Any) -> str:
            return self.text(item, f"{name}.{key}", given, f"{shown}.{key}")

        if type(value) is dict:
            return f"{{{', '.join(f'{k!r}: {inner(v, k)}' for k, v in value.items())}}}"
        if type(value) in (list, tuple, torch.Size):
            items = [inner(item, i) for i, item in enumerate(value)]
            comma = "," * (type(value) is not list and len(items) == 1)
            return ("[{}]" if type(value) is list else "({})").format(", ".join(items) + comma)
        if isinstance(value, Namespace) or is_dataclass(value):
            plain = isinstance(value, Namespace)
            names = list(vars(value) if plain else unlike_defaults(value))
            kind = "Namespace" if plain else f"draft.{type(value).__name__}"
            return f"{kind}({', '.join(f'{n}={inner(getattr(value, n), n)}' for n in names)})"
        raise LookupError(f"it takes a {type(value).__name__}")

    def made(self, module: torch.nn.Module, given: Given | None) -> str:
        """The Python that makes the draft's module for one of the program's.

        Raises:
            LookupError: it is not known what the module was made with, or the test cannot have it.
        """
        if given is None:
            raise LookupError("it was not seen to be made")
        name = type(module).__name__
        args = [self.text(v, f"{name}/made/{i}", given) for i, v in enumerate(given.args)]
        args += [f"{n}={self.text(v, f'{name}/made/{n}', given)}" for n, v in given.kwargs.items()]
        return self.words.made(name, args)

    def arguments(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        """The Python for the arguments of a call; their arrays are kept under their names."""
        names = list(inspect.signature(function).parameters)
        names += [str(i) for i in range(len(names), len(args))]
        texts = [self.text(v, f"{self.name}/{n}") for n, v in zip(names, args, strict=False)]
        return texts + [f"{n}={self.text(v, f'{self.name}/{n}')}" for n, v in kwargs.items()]

    def keep_outputs(self, outputs: Any) -> list[torch.Tensor]:
        """Keep the arrays and numbers that a part returned; those with fractions are returned."""
        leaves = [x for x in jax.tree.leaves(outputs) if isinstance(x, torch.Tensor | int | float)]
        for i, value in enumerate(leaves):
            self.values[f"{self.name}/outputs/{i}"] = sampled(value)
        return [x for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()]


def function_case(call: FirstCall, wide: bool, words: Words = NNX) -> Case:
    """The test of a function."""
    case = Case(call.name, wide, words=words)
    texts = case.arguments(call.function, call.args, call.kwargs)
    arguments = ", ".join([*texts, *words.drawing(call)])
    case.lines.append(f'check_outputs("{call.name}", draft.{call.name}({arguments}))')
    args, kwargs = widened(call.args, wide), widened(call.kwargs, wide)
    with same_draws() as numbers:
        case.keep_outputs(call.function(*args, **kwargs))
    case.draws = numbers.count > 0
    return case


def module_case(call: FirstCall, wide: bool, words: Words = NNX) -> Case:
    """The test of a module, with the gradients of its weights."""
    case = Case(call.name, wide, words=words)
    module = copy.deepcopy(call.function)
    assert isinstance(module, torch.nn.Module)
    case.keep(f"{call.name}/weights", with_kept_weights(module))
    arguments = case.arguments(module.forward, call.args, call.kwargs)
    case.lines += words.checked(module, case.made(module, call.made_with), arguments)
    module.requires_grad_(True)
    if wide:
        module.double()
    with same_draws() as numbers, torch.enable_grad():
        outputs = module(*widened(call.args, wide), **widened(call.kwargs, wide))
    case.draws = numbers.count > 0
    case.lines = words.drawn(case.lines) if case.draws else case.lines
    floats = [x.flatten() for x in case.keep_outputs(outputs)]
    weights = [torch.linspace(1, 2, x.numel(), dtype=x.dtype, device=x.device) for x in floats]
    total = sum((w * x).sum() for w, x in zip(weights, floats, strict=True))
    if isinstance(total, torch.Tensor) and total.requires_grad:
        total.backward()  # type: ignore[no-untyped-call]
    gradients = {
        n: sampled(torch.zeros_like(p) if p.grad is None else p.grad)
        for n, p in module.named_parameters(remove_duplicate=False)
    }
    case.keep(f"{call.name}/gradients", gradients)
    return case


def step_case(
    steps: Steps, recording: Recording, returns_tuple: bool, wide: bool, words: Words = NNX
) -> Case:
    """The test of a training step: its losses, and the weights and buffers after it."""
    drafted = steps.drafted
    assert drafted is not None
    case = Case(drafted.name, wide, words=words)
    modules, optimizer = begun(steps)
    kinds = [type(m).__name__ for m in modules.values()]
    for name, module in modules.items():
        call = recording.first_calls.get(type(module).__name__)
        if call is None:
            raise LookupError(f"{type(module).__name__} is not a module of the draft")
        key = f"{drafted.name}/{name} before"
        if kinds.count(call.name) == 1:  # the test of the module has the weights too
            module.load_state_dict(call.function.state_dict())  # type: ignore[attr-defined]
            key = f"{call.name}/weights"
        case.keep(key, with_kept_weights(module))
        case.lines += words.begun(name, module, case.made(module, call.made_with), key)
    if optimizer is not None:
        tx = in_draft(optax_of(optimizer))
        case.lines += words.optimizer(drafted.optimizer, [*modules], tx)
    called: dict[str, None] = {}
    for i, arrays in enumerate(steps.arrays):
        parameters = words.parameters(drafted.name, drafted.parameters)
        called[_call(case, steps, arrays, i, drafted.name, parameters)] = None
    if len(called) > 1:
        raise LookupError("its arrays differ in kind from step to step")
    case.lines += ["grads = None"] * bool(drafted.update)
    case.lines.append(f'for i, expected in enumerate(VALUES["{drafted.name}/losses"]):')
    if wide:
        set_wide(modules.values(), optimizer)
    losses, largest = list[float](), {name: dict[str, torch.Tensor]() for name in modules}
    for i, arrays in enumerate(steps.arrays):
        loss, drew = torch_step(steps, modules, optimizer, arrays, wide, i)
        losses.append(loss)
        case.draws = case.draws or drew
        for name, module in modules.items():
            keep_largest(largest[name], module)
    case.values[f"{drafted.name}/losses"] = np.asarray(losses)
    begin, further = ["    with Draws().handed_over():"] * case.draws, "    " * (1 + case.draws)
    taken = words.taken(drafted.name, next(iter(called)), returns_tuple, bool(drafted.update))
    case.lines += [*begin, f"{further}{taken}"]
    case.lines.append("    assert_close(loss, expected)")
    if drafted.update:
        case.lines.append(_call(case, steps, {}, 0, drafted.update, drafted.update_takes))
    scale = max((float(g.max()) for per in largest.values() for g in per.values()), default=0.0)
    for name in [name for name in modules if name not in drafted.copied]:
        module = modules[name]
        after = {n: sampled(v) for n, v in weights_of(module).items()}
        for n, sizes in largest[name].items():
            after[n][array(sizes <= ROUNDING * scale)] = np.nan
        case.keep(f"{drafted.name}/{name}", after)
        case.lines += words.weights(f"{drafted.name}/{name}", name, module)
    return case


def _call(
    case: Case, steps: Steps, arrays: dict[str, Any], i: int, function: str, parameters: list[str]
) -> str:
    """The Python of a call in a step, whose arrays are kept."""
    drafted = steps.drafted
    assert drafted is not None
    texts = list[str]()
    for name in parameters:
        if name in (*drafted.models, drafted.optimizer, "grads"):
            texts.append(name)
        elif name in case.words.given:
            texts.append(case.words.given[name])
        elif name in arrays:
            key = f"{drafted.name}/{name}"
            texts.append(case.text(arrays[name], f"{key}/{i}", None, f"{key}/{{i}}"))
        else:
            value = steps.namespace[name]
            texts.append(case.text(value, f"{drafted.name}/{name}"))
    return f"draft.{function}({', '.join(texts)})"


def weights_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """A module's weights and buffers, without the counts of batches, which JAX has no use for."""
    state = module.state_dict()
    return {n: v for n, v in state.items() if not n.endswith("num_batches_tracked")}


def with_kept_weights(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """A module's weights and buffers; it gets those that are rounded to be kept."""
    values = {n: kept(v) for n, v in weights_of(module).items()}
    for name, _ in module.named_parameters(remove_duplicate=False):
        large = values[name].dtype == np.float32 and values[name].size > ROUNDED
        if large and np.abs(values[name]).max() < np.finfo(np.float16).max:
            values[name] = values[name].astype(np.float16)
    module.load_state_dict({n: torch.tensor(v) for n, v in values.items()}, strict=False)
    return values


def widened(value: Any, wide: bool) -> Any:
    """Copies of arguments, in float64."""

    def one(x: Any) -> Any:
        return x.double() if wide and getattr(x, "dtype", None) == torch.float32 else x

    return jax.tree.map(one, copied(value))


def kept(value: Any) -> np.ndarray:
    """An array as NumPy's own.

    Raises:
        LookupError: NumPy alone has no such numbers.
    """
    numbers = np.array(array(value))  # a copy: the program's steps write into its own
    if numbers.dtype.kind not in "biuf":
        raise LookupError(f"it has numbers in {numbers.dtype}")
    return numbers


def sampled(value: Any) -> np.ndarray:
    """A result in at most float32; of a large one all numbers but some are NaN."""
    numbers = kept(value)
    if numbers.dtype.kind != "f":
        return numbers
    numbers = numbers.astype(np.float32)
    if (every := numbers.size // SAMPLED) > 1:
        hidden = np.arange(numbers.size) % every > 0
        numbers[hidden.reshape(numbers.shape)] = np.nan
    return numbers
