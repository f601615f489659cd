"""A training step in PyTorch: a function or method that changes its model and optimizer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from jaxvstorch._diff.readers_code import call
from jaxvstorch._diff.recording import Array, Kind, Recording, Returned
from jaxvstorch._diff.side import Inputs, Visit, in_float64
from jaxvstorch._diff.torch_run import TorchRecorder, recorded
from jaxvstorch._diff.torch_side import default_dtype, outputs_of
from jaxvstorch._diff.training.held import Held, State
from jaxvstorch._diff.training.step import Compared, Step
from jaxvstorch._frameworks import torch as adapter
from jaxvstorch._frameworks.containers import with_arrays_mapped
from jaxvstorch._frameworks.private import torch as private

_SEED = 0


@dataclass(frozen=True)
class Entered:
    """What an optimizer began its step with, for one parameter.

    Attributes:
        optimizer: its class.
        options: those of the parameter's group.
        gradient: the index of its value.
        state: arrays and numbers, by name.
    """

    optimizer: type
    options: Mapping[str, Any]
    gradient: int
    state: Mapping[str, Any]


@dataclass(frozen=True)
class Ended:
    """What is known at the end of a step.

    Attributes:
        state: from which the next one can begin.
        entered: what the optimizers began with, by the parameter's name.
    """

    state: State
    entered: dict[str, Entered]


class TorchStep(Step):
    """``step(*batch)``; what it changes is as before after every run."""

    framework = "torch"

    def __init__(self, step: Callable[..., Any]) -> None:
        self._step = step
        self._held = Held(step)
        self._state = self._held.take()
        self._dtypes = {name: x.dtype for name, x in self._state.tensors.items()}
        self.weights = {name: adapter.to_numpy(x) for name, x in self._state.tensors.items()}
        self.trained = frozenset(name for name, x in self._held.named().items() if x.requires_grad)
        self.compared = Compared()

    def run(self, inputs: Inputs, visit: Visit, *, wide: bool, **rest: Any) -> Recording:
        """Run it; see ``Side``."""
        widened = with_arrays_mapped(in_float64, inputs) if wide else inputs
        args = with_arrays_mapped(adapter.from_numpy, widened)
        recording = Recording("torch", storage=self.storage)
        dtype = torch.float64 if wide else torch.get_default_dtype()

        def convert(x: torch.Tensor, name: str = "") -> torch.Tensor:
            if not x.is_floating_point():
                return x
            return x.to(dtype if wide else self._dtypes.get(name, dtype))

        with (
            self._held.swapped(self._state, convert),
            torch.random.fork_rng(devices=[]),
            torch.enable_grad(),
            default_dtype(dtype),
        ):
            torch.manual_seed(_SEED)
            named = self._held.named()
            known = {id(x): (Kind.WEIGHT, name) for name, x in named.items()}
            titles = {id(x): name for name, x in named.items()}
            known |= {
                id(x): (Kind.WEIGHT, f"{key} of {titles[id(parameter)]}")
                for optimizer in self._held.optimizers
                for parameter, entries in optimizer.state.items()
                for key, x in entries.items()
                if isinstance(x, torch.Tensor)
            }
            tensors = [x for x in private.pytree.tree_leaves(args) if isinstance(x, torch.Tensor)]
            known |= {id(x): (Kind.INPUT, f"input {n}") for n, x in enumerate(tensors)}
            with recorded(recording, visit, known, self._held.root) as recorder:
                held = [x for opt in self._held.optimizers for x in _tensors(opt)]
                for tensor in (*named.values(), *held, *tensors):
                    recorder.index_of(tensor)
                entered: dict[str, Entered] = {}
                handles = [
                    optimizer.register_step_pre_hook(_entering(recorder, titles, entered))
                    for optimizer in self._held.optimizers
                ]
                try:
                    with recorder:
                        result = call(self._step, args)
                finally:
                    for handle in handles:
                        handle.remove()
                results = [
                    Returned(place, recorder.index_of(leaf)) for place, leaf in outputs_of(result)
                ]
                recording.after = {
                    name: recorder.index_of(x) for name, x in self._held.named().items()
                }
            recording.ended = Ended(self._held.take(), entered)
        recording.outputs = self.returned(recording, results)
        return recording

    def advance(self, recording: Recording, given: Mapping[str, Array]) -> None:
        """Let the next run begin where the last one has ended; see ``Step``."""
        self._state = recording.ended.state
        for name, array in given.items():
            self._state.tensors[name] = adapter.from_numpy(array)


def _entering(
    recorder: TorchRecorder, titles: Mapping[int, str], entered: dict[str, Entered]
) -> Callable[..., None]:
    """A hook that keeps what an optimizer begins its step with."""

    def enter(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        values = recorder.recording.values

        def kept(x: Any) -> Any:
            is_tensor = isinstance(x, torch.Tensor)
            return values[recorder.index_of(x)].array.copy() if is_tensor else x

        for group in optimizer.param_groups:
            options = {key: x for key, x in group.items() if key != "params"}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    state = optimizer.state.get(parameter, {})
                    entered[titles[id(parameter)]] = Entered(
                        type(optimizer),
                        options,
                        recorder.index_of(parameter.grad),
                        {key: kept(x) for key, x in state.items()},
                    )

    return enter


def _tensors(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [x for kept in optimizer.state.values() for x in kept.values() if torch.is_tensor(x)]
