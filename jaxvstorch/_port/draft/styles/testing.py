"""The lines of tests of a draft in Equinox or in functions."""

import ast
import inspect
import re
from collections.abc import Sequence
from types import ModuleType

import torch

from jaxvstorch._port.draft.recorded import FirstCall
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles.models import own_settings
from jaxvstorch._port.draft.styles.writing import state_of
from jaxvstorch._port.draft.testing_words import Words, in_draft

_KEY = "jax.random.key(0)"


class StyleWords(Words):
    """The lines for a draft whose models and states come in and go out.

    Args:
        draft: the draft.
        recording: of the program's run.
    """

    checks = "styles/checks.py"

    def __init__(self, draft: ModuleType, recording: Recording) -> None:
        self.draft, self.recording = draft, recording
        self.in_functions = bool(recording.functions)
        models = {name: name for name in recording.renamed.values()}
        self.given: dict[str, str] = {"key": f"key={_KEY}", "state": "state"} | models

    def takes(self, function: str) -> list[str]:
        """The names of what a function of the draft takes."""
        return list(inspect.signature(getattr(self.draft, function)).parameters)

    def made(self, name: str, args: Sequence[str]) -> str:
        if not self.in_functions:
            return f"draft.{name}({', '.join([*args, f'key={_KEY}'])})"
        init, *_ = self.recording.functions[name]
        return f"draft.{init}({', '.join([_KEY, *args])})" if init else "{}"

    def drawing(self, call: FirstCall) -> list[str]:
        return [f"key={_KEY}"] * ("key" in self.takes(call.name))

    def checked(self, module: torch.nn.Module, made: str, arguments: Sequence[str]) -> list[str]:
        name = type(module).__name__
        model = "params" if self.in_functions else "model"
        changes = bool(self.recording.changed.get(f"{name}.__call__"))
        if self.in_functions:
            _, function, settings = self.recording.functions[name]
            takes = self.takes(function)
            given_settings = own_settings(module, settings)
            arguments = [*arguments, *(f"{n}={v!r}" for n, v in given_settings.items())]
            given = [n for n in ("params", "state") if n in takes]
            arguments = [*given, *arguments]
            called = f"draft.{function}"
        else:
            takes = list(inspect.signature(getattr(self.draft, name).__call__).parameters)
            arguments = [*arguments, *["state=state"] * ("state" in takes)]
            called = model
        if "training" in takes:
            arguments = [*arguments, f"training={module.training}"]
        always = "key" in takes and not self.in_functions
        if always or ("key" in takes and (module.training or self._needs_key(takes, name))):
            arguments = [*arguments, f"key={_KEY}"]
        call = f"{called}({', '.join(arguments)}){'[0]' * changes}"
        lines = self.begun(model, module, made, f"{name}/weights")
        return [*lines, f'check_module("{name}", {model}, lambda {model}: {call})']

    def drawn(self, lines: list[str]) -> list[str]:
        return [*lines[:-1], "with Draws().handed_over():", f"    {lines[-1]}"]  # not the weights

    def _needs_key(self, takes: list[str], name: str) -> bool:
        _, function, _ = self.recording.functions[name]
        key = inspect.signature(getattr(self.draft, function)).parameters["key"]
        return key.default is inspect.Parameter.empty

    def begun(self, name: str, module: torch.nn.Module, made: str, key: str) -> list[str]:
        name = self.recording.renamed.get(name, name)
        values = f'stored("{key}/")'
        if self.in_functions:
            if not hasattr(self.draft, "split_state"):
                return [f"{name} = loaded({made}, {values})"]
            first = f"{name}, state = draft.split_state({made})"
            return [first, *(f"{n} = loaded({n}, {values})" for n in (name, "state"))]
        lines = list[str]()
        if hasattr(self.draft, "state_from_torch"):
            of = re.sub(r"^draft\.(\w+)\(", r"eqx.nn.make_with_state(draft.\1)(", made)
            lines = [f"{name}, state = {of}", f"{name} = loaded({name}, {values})",
                     f"state = loaded_state({name}, state, {values})"]  # fmt: skip
        else:
            lines = [f"{name} = loaded({made}, {values})"]
        return [*lines, *[f"{name} = eqx.nn.inference_mode({name})"] * (not module.training)]

    def optimizer(self, name: str, models: Sequence[str], made: str) -> list[str]:
        (model,) = (self.recording.renamed.get(n, n) for n in models)
        weights = model
        if not self.in_functions:
            filtered = f"eqx.filter({model}, eqx.is_inexact_array)"
            weights = f"draft.weights({model})" if hasattr(self.draft, "weights") else filtered
        state = state_of(name)
        self.given[state] = state
        return [f"{name} = {in_draft(made)}", f"{state} = {name}.init({weights})"]

    def parameters(self, step: str, names: list[str]) -> list[str]:
        return self.takes(step)

    def taken(self, step: str, call: str, returns_tuple: bool, gradients: bool) -> str:
        if gradients:
            raise LookupError("it returns gradients")
        source = ast.parse(inspect.getsource(getattr(self.draft, step)))
        last = source.body[0].body[-1].value  # type: ignore[attr-defined]
        several = isinstance(last, ast.Tuple) and isinstance(last.elts[0], ast.Tuple)
        loss = "(loss, *_)" if several else "loss"
        return f"{', '.join([loss, *self.recording.changed[step]])} = {call}"

    def weights(self, key: str, name: str, module: torch.nn.Module) -> list[str]:
        name = self.recording.renamed.get(name, name)
        lines = [f'check_weights("{key}", {name})']
        if self.in_functions:
            return lines + [f'check_weights("{key}", state)'] * hasattr(self.draft, "split_state")
        stateful = hasattr(self.draft, "state_from_torch")
        return lines + [f'check_state("{key}", {name}, state)'] * stateful
