"""Writes calls of modules as calls of functions."""

import ast
from typing import Any

import torch

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.function_layers import (
    DEFAULTS,
    draws,
    function_of,
    layer_call,
    layer_expression,
)
from jaxvstorch._port.draft.styles.inits import EXPRESSION, FUNCTION, Inits
from jaxvstorch._port.draft.styles.program import Effect, Modules, has_averages
from jaxvstorch._port.draft.styles.resolving import Resolving


class Applying(Inits):
    """Rewrites calls of modules and of their methods.

    Attributes:
        names: the functions of methods, by class and name.
        mode: whether models are in training where a function is being rewritten; None if unknown.
    """

    names: dict[tuple[str, str], str]
    mode: bool | None
    modes: dict[str, set[bool]]
    ends: dict[str, bool | None]
    known = set_here = False
    varied: dict[
        str, tuple[Any, dict[int, Any], tuple[str, str]]
    ]  # settings of one method, as of an effect

    def called(self, call: ast.Call, modules: Modules, method: str, of: ast.expr) -> Effect | None:
        if ast.unparse(call.func) == "paste.jitted_call":
            call.func, call.args = of, call.args[1:]
            effect = self.called(call, modules, method, of)
            own = self.program.effects.get(f"{type(modules[0]).__name__}.__call__", Effect())
            if {w.arg for w in call.keywords} & {name for name, *_ in own.settings}:
                raise CannotWriteError("a compiled call of models whose settings differ")
            call.func = ast.Call(ast.parse("jax.jit", mode="eval").body, [call.func], [])
            return effect
        kinds = {type(m) for m in modules}
        name = type(modules[0]).__name__
        if len(kinds) > 1:
            raise CannotWriteError("a module of several classes", ast.unparse(of))
        if name in self.program.classes:
            return self._applied(call, name, method, of)
        tied = self._tied_to(of)
        if tied is not None:
            product = ast.BinOp(
                call.args[0], ast.MatMult(), ast.parse(f"{tied}.T", mode="eval").body
            )
            _become(call, product)
            return None
        if not any(m.state_dict() for m in modules) and not draws(modules[0]):
            return self._without_weights(call, modules)
        texts = list[str]()
        params = self.place(of, "params") if modules[0].state_dict() else ""
        state = self.place(of, "state") if has_averages(modules[0]) else ""
        inputs = list(call.args)  # these nodes, and no copies: a key can stand in one
        differing = self._differing(of, modules, params, state) if len(modules) > 1 else {}
        made: ast.expr = ast.Constant(None)
        for m in modules:
            expression = layer_expression(m, params, state, inputs[0])
            made = expression or made
            if expression is None:
                function, before, settings = layer_call(m, params, state)
                values = {n: _literal(v) for n, v in {**differing, **settings, **differing}.items()}
                rate = [values.pop("rate")] if type(m) is torch.nn.Dropout else []
                given = [*map(_parsed, before), *inputs, *rate]
                words = [*call.keywords, *(ast.keyword(n, v) for n, v in values.items())]
                made = ast.Call(_parsed(function), given, words)
            texts.append(ast.unparse(made))
        if len(set(texts)) > 1:
            raise CannotWriteError("layers whose settings differ", ast.unparse(of))
        if layer_expression(modules[0], params, state, inputs[0]) is not None:
            _become(call, made)
            return None
        assert isinstance(made, ast.Call)
        call.func, call.args, call.keywords = made.func, made.args, made.keywords
        if has_averages(modules[0]):
            return self._stateful(call, state, False, False)
        return Effect(True) if draws(modules[0]) and self._draws_here() else None

    def of_method(self, call: ast.Call, owner: str, method: str) -> Effect | None:
        assert isinstance(call.func, ast.Attribute)
        if (owner, method) not in self.names:
            raise CannotWriteError("a method of another class", ast.unparse(call.func))
        return self._applied(call, owner, method, call.func.value)

    def _applied(self, call: ast.Call, owner: str, method: str, of: ast.expr) -> Effect | None:
        """Let a call of a module, or of a method, be one of a function."""
        effect = self.program.effects.get(f"{owner}.{method}", Effect())
        given = [p for p in ("params", "state") if p in effect.takes]
        texts = {p: self.place(of, p) for p in given}
        call.func = ast.Name(FUNCTION + self.names[owner, method], ast.Load())
        call.args = [*(_parsed(texts[p]) for p in given), *call.args]
        for name, default, values, (path, setting) in effect.settings:
            source = ast.unparse(of) + path.removeprefix("self"), setting
            given_value = self._of_module(of, name, default, dict(values), source)
            if ast.unparse(given_value) != repr(default):
                call.keywords.append(ast.keyword(name, given_value))
        key = effect.key and (effect.always or self._draws_here())
        if "training" in effect.takes:
            return self._stateful(call, texts.get("state", ""), key, effect.always, effect.changed)
        return Effect(True, (), True, effect.always) if key else None

    def _stateful(
        self, call: ast.Call, state: str, key: bool, always: bool, changed: Any = ("state",)
    ) -> Effect:
        """The effect of a call that depends on the mode, and can change running averages."""
        training = self.in_training()
        if training != "False":
            call.keywords.append(ast.keyword("training", _parsed(training)))
        evaluates = training == "False"
        target = "_" if evaluates else state
        return Effect(key, (target,) if changed else (), True, always, evaluates=evaluates)

    def _draws_here(self) -> bool:
        """Whether what drops numbers does so here: where a key is given, or in training."""
        return bool(self.owner) or self.in_training() == "True"

    def _differing(
        self, of: ast.expr, modules: Modules, params: str, state: str
    ) -> dict[str, ast.expr]:
        """The settings of a layer that are arguments, as they differ from module to module."""
        if layer_expression(modules[0], params, state, ast.Constant(0)) is not None:
            return {}
        every = [layer_call(m, params, state)[2] for m in modules]
        names = {n for settings in every for n in settings if n in DEFAULTS}
        found = dict[str, ast.expr]()
        for name in sorted(names):
            default = DEFAULTS[name]
            values = {id(m): s.get(name, default) for m, s in zip(modules, every, strict=True)}
            if len(set(values.values())) > 1:
                source = ast.unparse(of), name
                found[name] = self._of_module(of, name, default, values, source)
        return found

    def _of_module(
        self, of: ast.expr, name: str, default: Any, values: dict[int, Any], source: tuple[str, str]
    ) -> ast.expr:
        """A setting of a module: its value, or an argument where it differs with ``self``."""
        given = {values[id(m)] for m in self.resolving.modules(of)}
        if len(given) == 1:
            return ast.Constant(given.pop())
        by_owner = dict[int, Any]()
        for owner in self.program.instances.get(self.owner, []):
            parts = Resolving({"self": [owner]}, self.program.instances).modules(of)
            if len(parts) != 1:
                raise CannotWriteError("layers whose settings differ", ast.unparse(of))
            by_owner[id(owner)] = values[id(parts[0])]
        if not by_owner:
            raise CannotWriteError("modules whose settings differ", ast.unparse(of))
        last = of.attr if isinstance(of, ast.Attribute) else "own"
        for own in (name, f"{last}_{name}"):
            if self.varied.setdefault(own, (default, by_owner, source))[:2] == (default, by_owner):
                return ast.Name(own, ast.Load())
        raise CannotWriteError("layers whose settings differ", ast.unparse(of))

    def alike(self, modules: Modules) -> bool:
        """Whether one call in a loop does for modules: their settings are equal."""
        kinds = {type(m).__name__ for m in modules}
        effects = [self.program.effects.get(f"{kind}.__call__", Effect()) for kind in kinds]
        each = [dict(values) for effect in effects for _, _, values, _ in effect.settings]
        return all(len({v[id(m)] for m in modules if id(m) in v}) == 1 for v in each)

    def _tied_to(self, of: ast.expr) -> str | None:
        """The text of the embedding whose rows a linear layer has for its weights."""
        if isinstance(of, ast.Attribute):
            for owner in {type(m).__name__ for m in self.resolving.modules(of.value)}:
                if name := self.tied(owner).get(of.attr):
                    return f"{self.place(of.value, 'params')}[{name!r}]['table']"
        return None

    def _without_weights(self, call: ast.Call, modules: Modules) -> Effect | None:
        """A call of a layer without weights as one of a function."""
        functions = {ast.unparse(function_of(m)) for m in modules}
        if len(functions) > 1:
            raise CannotWriteError("layers whose settings differ", ast.unparse(call.func))
        function = function_of(modules[0])
        match function:
            case ast.Call(ast.Name("partial"), [inner, *args]):
                call.func, call.args = inner, [*args, *call.args]
                call.keywords += function.keywords
            case ast.Lambda(ast.arguments(args=[one]), body) if len(call.args) == 1:
                replaced = _Replaced(one.arg, call.args[0])
                _become(call, replaced.visit(body))
            case _:
                call.func = function
        return None

    def _of_function(self, call: ast.Call, name: str) -> Effect:
        if self.mode is not None and self.known:
            self.modes.setdefault(name, set()).add(self.mode)
        effect = super()._of_function(call, name)
        if (end := self.ends.get(name)) is not None:
            self.mode, self.known = end, True
        return effect

    def in_training(self) -> str:
        """The text for whether a model is in training."""
        if self.owner:
            self.taken.add("training")
            return "training"
        if self.mode is None and self.known:
            raise CannotWriteError("a function that runs both in training and in evaluation")
        return str(bool(self.mode))

    def noted(self, node: ast.stmt) -> None:
        """Keep what names stand for, and let loops over modules go over their weights."""
        self.resolving.note(node)
        match node:
            case ast.Assign([target], value):
                made = {w.id for w in ast.walk(value) if isinstance(w, ast.Name)}
                name = target.elts[0] if isinstance(target, ast.Tuple) else target
                for owner, init in self.init_names.items():
                    if init in made and isinstance(name, ast.Name) and not self.owner:
                        self.resolving.env[name.id] = self.program.instances[owner]
            case ast.For():
                self._loop(node)

    def _loop(self, node: ast.For) -> None:
        match node.target, node.iter:
            case ast.Name() as target, of if self.resolving.modules(of):
                new = self._over(of, target, "")
                if self.has_state(self.resolving.modules(of)):
                    index = next(n for n in ("i", "j", "index") if n not in self.roots)
                    self.roots[target.id] = (new, f"{self.place(of, 'state')}[{index}]")
                    pair: list[ast.expr] = [
                        ast.Name(index, ast.Store()),
                        ast.Name(new, ast.Store()),
                    ]
                    node.target = ast.Tuple(pair, ast.Store())
                    text = f"enumerate({self.place(of, 'params')})"
                else:
                    target.id, text = new, self.place(of, "params")
                node.iter = _parsed(text)
            case ast.Tuple([first, ast.Name() as target]), ast.Call(
                ast.Name("enumerate"), [of]
            ) as call if self.resolving.modules(of):
                target.id = self._over(of, target, ast.unparse(first))
                call.args = [_parsed(self.place(of, "params"))]
            case ast.Tuple(targets), ast.Call(ast.Name("zip"), several) as call:
                for i, (each, of) in enumerate(zip(targets, several, strict=False)):
                    if isinstance(each, ast.Name) and self.resolving.modules(of):
                        if self.has_state(self.resolving.modules(of)):
                            raise CannotWriteError(
                                "a loop over layers with a state", ast.unparse(call)
                            )
                        each.id = self._over(of, each, "")
                        call.args[i] = _parsed(self.place(of, "params"))

    def _over(self, of: ast.expr, target: ast.Name, index: str) -> str:
        """The name for the weights of each module in a loop."""
        taken = {*self.names.values(), *self.init_names.values(), *self.program.functions}
        name = f"{target.id}_params" if target.id in taken else target.id
        state = self.has_state(self.resolving.modules(of))
        text = f"{self.place(of, 'state')}[{index}]" if index and state else ""
        self.roots[target.id] = (name, text)
        return name

    def has_state(self, modules: Modules) -> bool:
        """Whether modules have arrays that no optimizer changes."""
        raise NotImplementedError


def _become(call: ast.Call, new: ast.expr) -> None:
    """Let a call be another expression, in the end."""
    call.func, call.args, call.keywords = _parsed(EXPRESSION), [new], []


class _Replaced(ast.NodeTransformer):
    """Writes an expression for a name."""

    def __init__(self, name: str, new: ast.expr) -> None:
        self.name, self.new = name, new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.new if node.id == self.name else node


def _literal(value: Any) -> ast.expr:
    return value if isinstance(value, ast.expr) else ast.Constant(value)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
