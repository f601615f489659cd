"""Runs a library's model, and writes what ran as one file of PyTorch."""

import copy
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch.nn.modules import module as modules

from jaxvstorch._port.draft.recorded import FirstCall
from jaxvstorch._port.isolation import remove_hook
from jaxvstorch._port.judging import mapped
from jaxvstorch._port.library.attributes import Attributes
from jaxvstorch._port.library.configuring import without_cache
from jaxvstorch._port.library.gathering import Gathering, is_of_torch, methods_put
from jaxvstorch._port.library.narrowing import Narrowing
from jaxvstorch._port.library.settings import Settings, is_settings
from jaxvstorch._port.library.watching import Watch
from jaxvstorch._port.library.writing import Writing
from jaxvstorch._port.map.running.call import copied


@dataclass
class Called:
    """A module of a library, and its call.

    Attributes:
        name: of its class.
        made_with: the names of what its constructor takes, and their values.
        called_with: the same of its ``forward``.
        result: what the library's module returned.
        state_dict: of the library's module.
        training: whether it is in that mode.
    """

    name: str
    made_with: dict[str, Any]
    called_with: dict[str, Any]
    result: Any
    state_dict: Mapping[str, torch.Tensor]
    training: bool


@dataclass
class Extracted:
    """Classes of libraries as one file of PyTorch.

    Attributes:
        text: of the file.
        package: that has the first of the classes.
        calls: of the classes that were called from outside.
    """

    text: str
    package: str
    calls: list[Called]


def extracted(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Extracted:
    """What a call of a library's model runs, with the same weights.

    Args:
        function: the model, or a function that makes one and calls it.
        args: that it is called with.
        kwargs: the same by name.

    Raises:
        ValueError: it is not known what the model was made with.
        TypeError: no model is called.
    """
    if isinstance(function, torch.nn.Module):
        model = function
    else:
        with torch.random.fork_rng():
            model = _outermost(lambda: function(*args, **kwargs)).model
    watch = Watch(_packages([model]))

    def run() -> Any:
        if not isinstance(function, torch.nn.Module):
            return function(*args, **kwargs)
        new = make_again(function)
        new.load_state_dict(function.state_dict())
        new.train(function.training)
        return new(*args, **kwargs)

    with torch.random.fork_rng():
        called = _outermost(lambda: watch.run(run))
        watch.both_modes = _runs_in_other_mode(called.model, watch)
    return _written(watch, [called])


def extracted_classes(calls: Sequence[FirstCall], read: list[str]) -> Extracted:
    """What calls of a program's modules that are from libraries run, with the same weights.

    Args:
        calls: of modules. The program's own lines make and call such ones too, so what these pass
            stays a parameter.
        read: the names of the attributes that these lines read.

    Raises:
        Exception: a module cannot be made again with what it was made with, or not be called.
    """
    watch = Watch(_packages([call.function for call in calls]))  # type: ignore[misc]
    watch.read_outside = read
    done = list[_Outermost]()
    modes = list[bool]()
    for call in calls:
        with torch.random.fork_rng():
            done.append(_outermost(partial(watch.run, partial(_called_again, call))))
            modes.append(_runs_in_other_mode(done[-1].model, watch))
        model, given = done[-1].model, call.made_with
        assert given is not None
        for code, _ in _roots(watch, model):
            made = code.co_name == "__init__"
            passed = (given.args, given.kwargs) if made else (call.args, call.kwargs)
            names = code.co_varnames[1 : code.co_argcount]
            pinned = watch.pinned.setdefault(code, {})
            pinned |= dict.fromkeys([*names[: len(passed[0])], *passed[1]])
    watch.both_modes = all(modes)
    return _written(watch, done)


def _called_again(call: FirstCall) -> Any:
    old = call.function
    assert isinstance(old, torch.nn.Module)
    assert call.made_with is not None
    given = call.made_with
    args, kwargs = mapped(_without_cache, (given.args, given.kwargs))
    new = type(old)(*args, **kwargs)
    new.load_state_dict(old.state_dict())
    new.train(old.training)
    return new(*copied(call.args), **copied(call.kwargs))


def _roots(watch: Watch, model: torch.nn.Module) -> list[tuple[CodeType, dict[str, Any]]]:
    """The constructor and the ``forward`` of a model, with their arguments."""
    roots = [watch.constructors.get(id(model))] + [
        (code, values) for code, values in watch.roots
        if code.co_name == "forward" and values.get("self") is model
    ]  # fmt: skip
    return [root for root in roots if root is not None]


def _written(watch: Watch, done: Sequence["_Outermost"]) -> Extracted:
    """The file of what was watched."""
    models = [call.model for call in done]
    roots = [_roots(watch, model) for model in models]
    watch.roots = [root for several in roots for root in several]
    watch.mode = models[0].training
    watch.on_cpu = all(x.is_cpu for model in models for x in model.state_dict().values())
    gathering = Gathering(watch)
    Attributes(gathering).take_from_bases()
    settings = Settings(gathering)
    narrowing = Narrowing(gathering)
    settings.annotate()
    text = Writing(gathering, settings, narrowing.records).text()
    calls = list[Called]()
    for call, of_model in zip(done, roots, strict=True):
        given = dict[str, dict[str, Any]]()
        for code, values in of_model:
            members = gathering.members
            names = narrowing.parameters(members[code]) if code in members else []
            given.setdefault(code.co_name, {n: values[n] for n in names if n in values})
        made, taken = given.get("__init__", {}), given.get("forward", {})
        state, mode = call.model.state_dict(), call.model.training
        calls.append(Called(type(call.model).__name__, made, taken, call.result, state, mode))
    return Extracted(text, type(models[0]).__module__.partition(".")[0], calls)


@dataclass
class _Outermost:
    """The first call of a module that no other module makes."""

    model: torch.nn.Module
    result: Any = None


def _outermost(run: Callable[[], Any]) -> _Outermost:
    """Call a function, and see which module it calls first.

    Raises:
        TypeError: it calls none.
    """
    calls: list[_Outermost] = []

    def before(module: torch.nn.Module, _: Any) -> None:
        if not calls:
            calls.append(_Outermost(module))

    def after(module: torch.nn.Module, _: Any, result: Any) -> None:
        if module is calls[0].model and calls[0].result is None:
            calls[0].result = result

    hooks = [
        modules.register_module_forward_pre_hook(before),
        modules.register_module_forward_hook(after),
    ]
    try:
        run()
    finally:
        for hook in hooks:
            remove_hook(hook)
    if not calls:
        raise TypeError("write= drafts a torch.nn.Module: pass one, or a function that calls one")
    return calls[0]


def _runs_in_other_mode(model: torch.nn.Module, watch: Watch) -> bool:
    """Call a model as it was called, in training for evaluation or the reverse; whether it runs.

    What only one of the modes runs, such as dropout, is in the model all the same.
    """
    values = next((v for c, v in watch.roots if c.co_name == "forward" and v["self"] is model), {})
    given = dict[str, Any]()
    for parameter in inspect.signature(type(model).forward).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= values.get(parameter.name, {})
        elif parameter.name != "self" and parameter.name in values:
            given[parameter.name] = values[parameter.name]
    roots = list(watch.roots)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    mode = model.training
    model.train(not mode)
    try:
        with torch.no_grad():
            watch.run(lambda: model(**given))
    except Exception:
        return False
    finally:
        watch.roots = roots
        model.train(mode)
        model.load_state_dict(state)
    return True


def make_again(model: torch.nn.Module) -> torch.nn.Module:
    """Another module of the same class, made with the same arguments.

    Raises:
        ValueError: an argument is not an attribute of the module.
    """
    parameters = list(inspect.signature(type(model).__init__).parameters.values())[1:]
    given = {}
    for parameter in parameters:
        if hasattr(model, parameter.name):
            value = getattr(model, parameter.name)
            if isinstance(value, torch.nn.Module | torch.Tensor):
                continue
            if parameter.default is parameter.empty or _is_plain(value):
                given[parameter.name] = _without_cache(value)
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD,
        ):  # fmt: skip
            raise ValueError(
                f"{type(model).__name__} does not keep its argument {parameter.name}: pass a "
                "function that makes the model and calls it"
            )
    try:
        return type(model)(**given)
    except Exception as error:
        raise ValueError(
            f"{type(model).__name__} cannot be made again ({error}): pass a function that makes "
            "the model and calls it"
        ) from error


def _without_cache(value: Any) -> Any:
    """Settings as they are, or a copy of them without the cache of keys and values."""
    if not is_settings(value) or getattr(value, "use_cache", None) is not True:
        return value
    value = copy.deepcopy(value)
    without_cache(value)
    return value


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str) or is_settings(value)


def _packages(models: Sequence[torch.nn.Module]) -> set[str]:
    """The folders of the packages that the classes of models' modules are from.

    With them, the files of the methods that a package wrote for a class as it ran.
    """
    every = {cls for model in models for part in model.modules() for cls in type(part).__mro__}
    classes = {cls for cls in every if not is_of_torch(cls)}
    names = {cls.__module__.partition(".")[0] for cls in classes}
    files = (getattr(sys.modules[name], "__file__", None) for name in names)
    folders = {f"{Path(file).parent}/" for file in files if file is not None}
    return folders | {code.co_filename for cls in classes for code in methods_put(cls)}
