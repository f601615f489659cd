"""What the run of a program showed of one of its files."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from jaxvstorch._port.draft.layers import is_known
from jaxvstorch._port.draft.recorded import MadeOptimizer, Steps
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.filling import Span
from jaxvstorch._port.report_data import PortCall

Module = torch.nn.Module
_SHAPES = 2  # of the batches of an evaluation: the last one can be smaller


class Seen:
    """What the run of a program showed of one of its files.

    Attributes:
        calls: the calls that a replay did again, by span.
        argument_types: by span, the types of the arguments of the call there.
        shorter: the spans of calls of functions whose shorter form held in the run, and of calls
            that make modules whose form held.
        constructions: the full names of the classes of modules that each call made, by span.
        construction_types: by span, the types of the arguments of the call, by parameter.
        passing: the spans of calls in constructors and below that make modules.
        builders: the qualified names of functions that constructors call to make modules.
        reached: the qualified names of the functions that ran.
        lines: the lines that called something.
        autocast_lines: the lines that let operators compute in another dtype.
        loader_lines: the lines that began to read a DataLoader.
        schedules: the spans of the calls that made a schedule of an optimizer's rate.
        data_sets: by span, which arguments were arrays of the call that made a data set there.
        evaluations: the spans of calls of modules, with arrays alone, that take no gradient; of
            few shapes, since each is compiled.
        saved: what each call of ``state_dict`` and ``load_state_dict`` is of, by span.
        modules: those that variables stand for.
        scalers: the texts of the program's gradient scalers at its steps.
        steps: the first steps at each call of ``backward``, by span.
        optimizers: the optimizers that each call made, by span.
        runs: the spans of the calls that ran another file of the program as one.
        draws: the spans of the calls that draw from a distribution of PyTorch.
        handed: the names of the modules whose gradients a function must be given, by its own name.
        handing: the same at each call of such a function, and the optimizer that it steps.
        frozen: whether some weights of what a step trains stay as they are.
        stepped: whether an optimizer took a step.
        searches: whether an optimizer calls its closure several times in a step, as LBFGS does.
        rates_set: whether the program sets the learning rate of each of its optimizers.
        instances: a module of each of the program's classes, by name.
        extracted: the names of the classes of other packages that are in the draft.
        left_out: why those of other packages are not in it, by the package's name.
        settings: the names of the classes of settings in the draft, with their fields.
    """

    def __init__(self, recording: Recording, path: str) -> None:
        self.path = path
        self.calls: dict[Span, Sequence[PortCall]] = {}
        self.argument_types: dict[Span, tuple[str, ...]] = {}
        for at, several in recording.calls.items():
            if at.file == path and at.column is not None:
                span = (at.line, at.column, at.end_line, at.end_column)
                self.calls[span] = list(several)
        for at, types in recording.argument_types.items():
            if at.file == path and at.column is not None:
                self.argument_types[at.line, at.column, at.end_line, at.end_column] = types
        held: dict[Span, set[bool]] = {}
        for at, holds in recording.shorter.items():
            if isinstance(at, Module):
                made = recording.made_at.get(at)
            else:
                made = at.file, (at.line, at.column, at.end_line, at.end_column)
            if made is not None and made[0] == path:
                held.setdefault(made[1], set()).add(holds)
        self.shorter = {span for span, holds in held.items() if holds == {True}}
        self.constructions = {
            span: [
                _full_name(cls) if cls in recording.instances else _dotted(cls) for cls in classes
            ]
            for (file, span), classes in recording.constructions.items()
            if file == path
        }
        self.construction_types = {
            span: types for (file, span), types in recording.construction_types.items()
            if file == path
        }  # fmt: skip
        self.passing = {span for file, span in recording.passing if file == path}
        self.builders = {c.co_qualname for c in recording.builders if c.co_filename == path}
        self.reached = {c.co_qualname for c in recording.codes if c.co_filename == path}
        self.lines = recording.lines.get(path, set())
        self.loader_lines = {line for file, line in recording.loader_lines if file == path}
        self.schedules = {span for file, span in recording.schedules if file == path}
        self.data_sets = {
            span: a for (file, span), a in recording.data_sets.items() if file == path
        }
        self.autocast_lines = {line for file, line in recording.autocasts if file == path}
        self.evaluations = {
            span for (file, span), given in recording.evaluations.items()
            if file == path and len(given) <= _SHAPES
            and not any(shape is None for shapes in given for shape in shapes)
        }  # fmt: skip
        self.steps: dict[Span, Steps] = {
            span: steps for (file, span), steps in recording.steps.items() if file == path
        }
        self.optimizers: dict[Span, list[MadeOptimizer]] = {
            span: made for (file, span), made in recording.optimizers.items() if file == path
        }
        self.handed = {name: m for (file, name), m in recording.handed.items() if file == path}
        self.handing = {span: h for (file, span), h in recording.handing.items() if file == path}
        begun = [value for steps in recording.steps.values() for value in steps.before.values()]
        modules = [value for value in begun if isinstance(value, Module)]
        self.frozen = any(not p.requires_grad for m in modules for p in m.parameters())
        self.stepped = recording.stepped
        every = [made for several in recording.optimizers.values() for made in several]
        self.searches = any(type(made.optimizer) is torch.optim.LBFGS for made in every)
        self.rates_set = bool(every) and all(made.rate_is_set for made in every)
        self.saved = {span: kind for (file, span), kind in recording.saved.items() if file == path}
        self.modules = self._modules(recording)
        self.scalers = self._named(torch.amp.GradScaler)
        self.runs = {span for file, span in recording.runs if file == path}
        self.draws = {span for file, span in recording.draws if file == path}
        self.extracted = {
            cls.__name__ for cls in recording.of_libraries if cls in recording.instances
        }
        self.left_out = recording.left_out
        self.settings = recording.settings
        self._of_values = recording.of_values
        self.instances: dict[str, Module] = {
            cls.__name__: module for cls, module in recording.instances.items()
        }

    def other_package(self, name: str) -> str:
        """Why a class of another package, by its full name, is not in the draft."""
        why = self.left_out.get(name.partition(".")[0], "")
        return f"{name} is a module of another package{': ' * bool(why)}{why}"

    def _named(self, kind: type) -> set[str]:
        """The texts of names and attributes of one kind at the steps."""
        return {
            steps.attributes.get(name, name)
            for steps in self.steps.values()
            for name, value in steps.namespace.items()
            if isinstance(value, kind)
        }

    def _modules(self, recording: Recording) -> dict[str, Module]:
        """The modules by the names of variables, where a name always stands for such a one."""
        spaces = [s.namespace for s in self.steps.values()]
        spaces += [m.namespace for made in self.optimizers.values() for m in made]
        for call in recording.first_calls.values():
            code = getattr(call.function, "__code__", None)
            if code is not None and code.co_filename == self.path:
                spaces.append(dict(zip(code.co_varnames, call.args, strict=False)))
        items = [(name, value) for space in spaces for name, value in space.items()]
        found = {name: value for name, value in items if isinstance(value, Module)}
        others = {name for name, value in items if type(value) is not type(found.get(name))}
        return {name: module for name, module in found.items() if name not in others}

    def of_values_below(self, spans: Iterable[Span], modules: Iterable[Module]) -> str | None:
        """The name of a call below spans, or in modules, that does not run under ``jax.jit``."""
        lines = {line for span in spans for line in range(span[0], (span[2] or 0) + 1)}
        parts = [part for module in modules for part in module.modules()]
        forwards = {getattr(type(part).forward, "__code__", None) for part in parts}
        for name, places in self._of_values.items():
            kept = name != "Tensor.item"  # a step, and what it calls, keeps the array
            here = {n for c, n in places if kept and c.co_filename == self.path}
            if lines & here or any(code in forwards for code, _ in places):
                return name
        return None

    def attribute(self, owner: str | None, path: Sequence[str]) -> Any:
        """The value at a path of attributes of a module of the program, or None."""
        value: Any = self.instances.get(owner or "")
        for name in path:
            value = getattr(value, name, None)
        return value


def layer_name(value: Any) -> str | None:
    """The full name of the class of a layer of PyTorch or einops; None for anything else."""
    name = _dotted(type(value)) if isinstance(value, Module) else ""
    return name if is_known(name) else None


def _dotted(cls: type) -> str:
    """The name of a class that is not the program's: the map's, or after its module."""
    name = _full_name(cls)
    return name if name.startswith("torch.nn.") else f"{cls.__module__}.{name}"


def _full_name(cls: type) -> str:
    """A class's name: as the map has it if it is PyTorch's, or its bare name."""
    return f"torch.nn.{cls.__name__}" if cls.__module__.startswith("torch.nn.") else cls.__name__
