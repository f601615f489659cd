"""Compares a draft in PyTorch with the program: functions, modules, and three steps of training."""

import copy
import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.imports import import_file
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.torch_draft import arrays, kinds
from jaxvstorch._port.torch_draft.classes import Classes
from jaxvstorch._port.torch_draft.draws import drawing
from jaxvstorch._port.torch_draft.given import Given
from jaxvstorch._port.torch_draft.recording import OwnCall, Recording

_ROUNDINGS = 1e-5  # the share in the largest gradient below which one is only rounding


def compare_parts(path: Path, recording: Recording, rewriter: Classes) -> Iterator[tuple[str, str]]:
    """The result of comparing each function that ran with the draft's, in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            draft = import_file(path, "jaxvstorch_torch_draft")
        except Exception as error:
            yield "the draft", f"cannot be imported: {error_text(error)}"
            return
        for name, calls in recording.calls.items():
            if not calls or "<lambda>" in name:
                continue
            outer, _, inner = name.rpartition(".<locals>.")
            if outer and (name.count("<locals>") > 1 or _has_arrays(recording.calls.get(outer))):
                continue  # it is compared through the function that it is in
            title = title_of(name)
            if (inner or name) in rewriter.gradients:
                yield title, "not compared: its gradient is taken, compared through its callers"
                continue
            try:
                yield title, _Part(draft, recording, rewriter, name).compare(calls)
            except LookupError as error:
                yield title, f"not compared: {error.args[0]}"
            except Exception as error:
                yield title, f"cannot be compared: {error_text(error)}"


def title_of(name: str) -> str:
    """What the report calls a function of the program."""
    return name.removesuffix(".__call__").replace("<locals>.", "")


def _has_arrays(calls: list[OwnCall] | None) -> bool:
    given = [frozen for call in calls or () for frozen in call.given.values()]
    return any(map(arrays.has_arrays, given))


class _Part(Given):
    """One function or method of a draft, and what it is called with."""

    def compare(self, calls: list[OwnCall]) -> str:
        """Compare the draft with the original on its first calls; the result in words."""
        owner, _, method = self.name.rpartition(".")
        first = calls[0]
        if not first.given:
            raise LookupError("it takes no arguments: compared through what it calls")
        if owner and "<locals>" not in owner:
            given = first.given.get("self")
            if given is None and method != "__call__":
                raise LookupError("a method, compared through its callers")
        if not any(map(arrays.has_arrays, [*first.given.values(), *first.around.values()])):
            raise LookupError("it takes no array")
        if first.updates:
            return self._compare_steps(calls)
        return arrays.words(arrays.gaps(self._call(first), first.result), "values, in float32")

    def _compare_steps(self, calls: list[OwnCall]) -> str:
        gaps, what = list[tuple[float, float]](), {"losses"}
        for call in calls:
            self._load_weights(call)
            gaps += arrays.gaps(self._call(call), call.result)
            if (found := self._gradient_gaps(call)) is not None:
                gaps, what = gaps + found, what | {"gradients"}
            self._note_gradients()
            weights = arrays.weights_after(call)
            trees = [v for v in arrays.parts(call.result) if v.kind.startswith("tree")]
            if weights is not None and self.model is not None:
                gaps, what = gaps + self._weights(weights), what | {"weights"}
            elif self.trees and trees:
                gaps, what = gaps + arrays.gaps(self.trees[0], trees[0]), what | {"weights"}
        words = [w for w in ("losses", "gradients", "weights") if w in what]
        times = "one call" if len(calls) == 1 else f"each of {len(calls)} calls"
        return arrays.words(gaps, f"{', '.join(words)} after {times}, in float32")

    def _load_weights(self, call: OwnCall) -> None:
        """Give the draft the weights that the program had; the optimizer's state stays."""
        for frozen in call.given.values():
            if self.model is not None and frozen.kind in (
                kinds.MODULE, kinds.VARIABLES, kinds.TRAIN_STATE
            ):  # fmt: skip
                self.draft.from_jax(self.model, frozen.value)
            elif self.trees and frozen.kind.startswith("tree") and arrays.is_floating(frozen):
                with torch.no_grad():
                    for leaf, value in zip(
                        arrays.in_order(self.trees[0]), arrays.leaves(frozen), strict=True
                    ):
                        leaf.copy_(torch.from_numpy(value))

    def _weights(self, expected: Any) -> list[tuple[float, float]]:
        """How far the model's weights are from those of the program's."""
        own = self.model.state_dict()
        before = {name: value.clone() for name, value in own.items()}
        self.draft.from_jax(self.model, expected)
        after = self.model.state_dict()
        return [arrays.gap(before[name].numpy(), after[name].numpy())
                for name in own if self.largest.get(name, 1.0) > _ROUNDINGS]  # fmt: skip

    def _parameters(self) -> dict[str, torch.Tensor]:
        if self.model is not None:
            return dict(self.model.named_parameters())
        return {str(i): leaf for i, leaf in enumerate(arrays.in_order(self.trees[:1]))}

    def _note_gradients(self) -> None:
        """Note how large each gradient is: Adam steps as far along one that is only rounding."""
        sizes = {n: float(p.grad.abs().max()) for n, p in self._parameters().items()
                 if p.grad is not None and p.numel()}  # fmt: skip
        most = max(sizes.values(), default=0.0) or 1.0
        for name, size in sizes.items():
            self.largest[name] = max(self.largest.get(name, 0.0), size / most)

    def _gradient_gaps(self, call: OwnCall) -> list[tuple[float, float]] | None:
        """How far the gradients are from the program's; None where they cannot be compared."""
        parameters = self._parameters()
        if call.gradients is None or self.rewriter.changes_gradients or not parameters:
            return None
        if self.model is not None:
            expected = self.draft.from_jax(copy.deepcopy(self.model), call.gradients.value)
            theirs = {n: p.detach().numpy() for n, p in expected.named_parameters()}
        else:
            theirs = {str(i): v for i, v in enumerate(arrays.leaves(call.gradients))}
        if any(p.grad is None for p in parameters.values()) or len(theirs) != len(parameters):
            return None
        size = max(float(np.max(np.abs(v), initial=0.0)) for v in theirs.values()) or 1.0
        gaps = [arrays.gap(p.grad.numpy(), theirs[n]) for n, p in parameters.items()]  # type: ignore
        return [(gap, max(own, size * 0.05)) for gap, own in gaps]

    def _call(self, call: OwnCall) -> Any:
        """What the draft's function returns for a call of the program's."""
        owner, _, method = self.name.rpartition(".")
        given = dict(call.given)
        if "<locals>" in owner:
            function, names = self._inner_function(call, owner.partition(".")[0], method)
            values = self._values(given, names)
        elif owner:
            function = self._made_for(call)
            values = {k: self.value(v) for k, v in given.items() if k != "self"}
            if method != "__call__":
                function = getattr(function, method)
            names = inspect.signature(getattr(function, "forward", function)).parameters
        else:
            function = getattr(self.draft, self.name)
            names = inspect.signature(function).parameters
            values = self._values(given, names)
        self._hand_over()
        with drawing(call.draws):
            return function(**{k: v for k, v in values.items() if k in names})

    def _made_for(self, call: OwnCall) -> Any:
        frozen = call.given.get("self")
        if frozen is None or not arrays.has_weights(frozen.value):
            raise LookupError("a module without its weights, compared through its callers")
        return self.value(frozen)
