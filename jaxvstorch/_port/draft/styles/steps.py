"""Writes training steps whose model, states and keys come in and go out."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.threading import Threading
from jaxvstorch._port.draft.styles.writing import Function, Writer, state_of


class Steps(Writer):
    """Rewrites training steps: the model and the states come in and go out.

    Attributes:
        has_buffers: whether modules have arrays that are not trained.
        gradient: the function that gives values and gradients.
        applying: the function that adds updates to weights.
    """

    has_buffers = False
    gradient, applying = "eqx.filter_value_and_grad", "eqx.apply_updates"

    def weights(self, model: str) -> str:
        """The text for the weights of a model."""
        if self.has_buffers:
            return f"paste.weights({model})"
        return f"eqx.filter({model}, eqx.is_inexact_array)"

    def saving(self, model: str, path: str) -> str:
        """The text that saves a model."""
        return f"eqx.tree_serialise_leaves({path}, {model})"

    def jit(self, node: Function) -> None:
        node.decorator_list = [ast.parse("eqx.filter_jit", mode="eval").body]

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        text = ast.unparse(node)
        match node:
            case ast.Assign([target], ast.Call() as value) if "nnx.Optimizer(" in ast.unparse(
                value
            ):
                if ast.unparse(value.func) != "nnx.Optimizer" or "nnx.List" in text:
                    raise CannotWriteError("an optimizer of several models, or of groups", text)
                name, model = ast.unparse(target), ast.unparse(value.args[0])
                yield ast.Assign([target], value.args[1], lineno=0)
                line = f"{state_of(name)} = {name}.init({self.weights(model)})"
                yield ast.parse(line).body[0]
            case ast.Assign([ast.Name(name)], ast.Call(func, [optimizer, schedule])) if (
                ast.unparse(func) == "paste.Scheduler"
            ):
                self.schedulers[name] = ast.unparse(optimizer)
                yield ast.parse(f"{name} = paste.Scheduler({ast.unparse(schedule)})").body[0]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "step"), _)) if (
                name in self.schedulers
            ):
                state = state_of(self.schedulers[name])
                yield ast.parse(f"{state} = {name}.step({state})").body[0]
            case ast.Expr(ast.Call(func, [what, path])) if ast.unparse(
                func
            ) == "paste.save_arrays" and ast.unparse(what).startswith("paste.state_dict("):
                assert isinstance(what, ast.Call)
                model = ast.unparse(what.args[0])
                yield ast.parse(self.saving(model, ast.unparse(path))).body[0]
            case _:
                yield node

    def sets_mode(self, node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
        """The module that a statement puts into a mode, and whether it is that of training."""
        match node:
            case ast.Expr(ast.Call(ast.Attribute(of, ("train" | "eval") as mode), given, named)):
                if self.resolving.modules(of):
                    flag = next(iter([*given, *(w.value for w in named)]), ast.Constant(True))
                    return of, flag if mode == "train" else ast.Constant(False)
                if not any(mode in methods for methods in self.program.methods.values()):
                    text = ast.unparse(node)
                    raise CannotWriteError("where it is not known which module that is", text)
        return None

    def step(self, node: Function, loss: Function) -> Threading:
        model = loss.args.args[0].arg
        env = self.resolving.env
        threading = self.threading(node)
        loss.body = threading.body(loss.body)
        changes = "state" in threading.changed
        if changes:
            loss.args.args.insert(1, ast.arg("state"))
        if threading.looped:
            loss.args.args.append(ast.arg("key"))
        threading.begin_keys(loss.body, 0)
        new = list[ast.stmt]()
        for part in node.body:
            text = ast.unparse(part)
            if "nnx.value_and_grad(" in text:
                assert isinstance(part, ast.Assign)
                new.append(self._gradient(part, loss, changes, threading.looped))
            elif re.match(rf"\w+\.update\({model}, grads\)", text):
                name = text.partition(".")[0]
                new += self.update(model, name)
                threading.changed |= {model: None, state_of(name): None}
            elif part is loss and changes:
                for inner in ast.walk(loss):
                    if isinstance(inner, ast.Return):
                        inner.value = _with_state(inner.value)
                new.append(loss)
            else:
                new.append(part)
        node.body = new
        threading.straight = []
        self.resolving.env = env
        return threading

    def update(self, model: str, optimizer: str) -> list[ast.stmt]:
        """The statements that take the step of an optimizer."""
        state = state_of(optimizer)
        grads = "paste.weights(grads)" if self.has_buffers else "grads"
        text = f"updates, {state} = {optimizer}.update({grads}, {state}, {self.weights(model)})\n"
        return ast.parse(f"{text}{model} = {self.applying}({model}, updates)").body

    def _gradient(self, node: ast.Assign, loss: Function, changes: bool, key: bool) -> ast.stmt:
        """``loss, grads = value_and_grad(loss_fn)(model)``, with what the loss changes."""
        call = node.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Call)
        options = {w.arg for w in call.func.keywords}
        if "argnums" in options or "nnx.DiffState" in ast.unparse(node):
            raise CannotWriteError("a step that trains several models, or a part of one")
        call.func.func = ast.parse(self.gradient, mode="eval").body
        if changes:
            if "has_aux" not in options:
                call.func.keywords.append(ast.keyword("has_aux", ast.Constant(True)))
            call.args.insert(1, ast.Name("state", ast.Load()))
            (target,) = node.targets
            assert isinstance(target, ast.Tuple)
            target.elts[0] = _with_state(target.elts[0])
        if key:
            call.args.append(ast.Name("key", ast.Load()))
        return node


def _with_state(value: Any) -> ast.expr:
    """``loss`` as ``loss, state``, and ``loss, aux`` as ``loss, (aux, state)``."""
    context = getattr(value, "ctx", ast.Load())
    state = ast.Name("state", context)
    if isinstance(value, ast.Tuple):
        return ast.Tuple([value.elts[0], ast.Tuple([value.elts[1], state], context)], context)
    return ast.Tuple([value, state], context)
