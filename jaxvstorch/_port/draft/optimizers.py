"""Rewrites the optimizers that a program makes, and their learning rate schedules."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
import re
from collections.abc import Iterator
from inspect import signature
from operator import attrgetter
from types import EllipsisType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from jaxvstorch._port.draft.commenting import is_marker
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.reading import is_name
from jaxvstorch._port.draft.recorded import MadeOptimizer, full_name
from jaxvstorch._port.draft.schedules import SCHEDULES, Schedules, row_of
from jaxvstorch._port.filling import matched
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.simplifying import simplified

# Methods that only PyTorch's modules have; those that the draft has another call for are not left.
_OF_MODULES = frozenset({name for name in dir(Module) if name[0] != "_"} - {
    *dir(Tensor), "train", "eval", "apply", "state_dict", "load_state_dict",
})  # fmt: skip
_LEFT = {"grad": "Tensor.grad", "param_groups": "Optimizer.param_groups"}
_FROZEN = (
    "what is trained: `wrt=` of nnx.Optimizer, and `nnx.DiffState` for the gradient, take a filter"
)


class Optimizers(Schedules):
    """Turns ``torch.optim`` into optax, inside an ``nnx.Optimizer``."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        value, target = node.value, node.targets[0]
        match target, value:
            case ast.Attribute(of, "requires_grad"), ast.Constant(bool()) if self.qualified(
                target
            ) is None and (not value.value or self._is_weight(of)):
                return ast.Expr(self._trainable(of, value))
        name = (self.qualified(value.func) if isinstance(value, ast.Call) else None) or ""
        is_optimizer = name.startswith("torch.optim.") and not name.startswith(SCHEDULES)
        if is_optimizer and isinstance(value, ast.Call):
            made = self._optimizer(name, value, ast.unparse(target))
            if made is not None:
                node.value = made
                return node
        return super().visit_Assign(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:  # what a version of PyTorch has: "fused" in signature(torch.optim.AdamW)...
            case ast.Compare(
                ast.Constant(option),
                [ast.In()],
                [ast.Attribute(ast.Call(of, [made]), "parameters")],
            ) if self.qualified(of) == "inspect.signature" and self.is_torch(made):
                cls = attrgetter((self.qualified(made) or "").partition(".")[2])(torch)
                return ast.Constant(option in signature(cls).parameters)
        return super().visit_Compare(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        bare = name.rpartition(".")[2]
        if (fields := self.seen.settings.get(bare)) is not None:  # those that the draft reads
            words = [
                ast.keyword(w.arg, self.visit(w.value)) for w in node.keywords if w.arg in fields
            ]
            return ast.Call(parsed(bare), [self.visit(a) for a in node.args], words)
        if name.startswith(SCHEDULES) and (made := self.schedule(name, node)) is not None:
            return made
        if name.startswith("torch.optim.") and (made := self._optimizer(name, node)) is not None:
            return made
        if (counted := self._over_weights(node)) is not None:
            return counted
        self.marks += self._left_with_library(node)
        match node:
            case ast.Call(ast.Attribute(of, "requires_grad_"), [] | [_]) if not node.keywords and (
                not self.calls_at(node) or self._is_weight(of)
            ):
                return self._trainable(of, node.args[0] if node.args else ast.Constant(True))
        new = super().visit_Call(node)
        match new:
            case ast.Call(ast.Attribute(of, method)) if (
                method in _OF_MODULES and not is_name(of, "paste")  # the draft's own
            ):
                own = any(method in vars(type(m)) for m in self.seen.instances.values())
                if not own and self.qualified(new.func) is None:
                    row = rows().get(f"Module.{method}")
                    instead = row and meaning(row).option("instead")
                    self.marks.append(f"Module.{method}: {instead or 'has no counterpart here'}")
        return new

    def _over_weights(self, node: ast.Call) -> ast.expr | None:
        """``sum(p.numel() for p in net.parameters())``, where the order does not matter."""
        match node:
            case ast.Call(ast.Name("sum"), [ast.GeneratorExp(each, [ast.comprehension(
                ast.Name(name) as target, ast.Call(ast.Attribute(of, "parameters"), []), tests
            )])], []):  # fmt: skip
                trained = all(ast.unparse(test) == f"{name}.requires_grad" for test in tests)
                if self.seen.frozen or not trained:
                    return None
                owner = ast.unparse(self.visit(of))
                weights = parsed(f"jax.tree.leaves(nnx.state({owner}, nnx.Param))")
                over = ast.comprehension(target, weights, [], 0)
                return ast.Call(node.func, [ast.GeneratorExp(self.visit(each), [over])], [])
        return None

    def _left_with_library(self, node: ast.Call) -> Iterator[str]:
        """A mark for a method of a library's module that is not in the draft, as ``generate``."""
        match node.func:
            case ast.Attribute(ast.Name(name), method) if name in self.seen.modules:
                cls = type(self.seen.modules[name])
                drafted = self.seen.instances.get(cls.__name__)
                known = hasattr(torch.nn.Module, method) or hasattr(drafted, method)
                if cls.__name__ in self.seen.extracted and not known:
                    yield f"{method} of {full_name(cls)} is not in the draft: only its call is"

    def rate_set(self, node: ast.For) -> ast.stmt | None:
        """``for group in optimizer.param_groups: group["lr"] = rate``, for a rate in the state."""
        match [part for part in node.body if not is_marker(part)]:
            case [ast.Assign([ast.Subscript(ast.Name(held), ast.Constant("lr"))], value)] if (
                is_name(node.target, held)
            ):
                rate = self._rate(node.iter)
                if rate is not None:
                    return ast.parse(f"{rate}[...] = {ast.unparse(self.visit(value))}").body[0]
        return None

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``optimizer.param_groups[0]["lr"]`` as the rate in the optimizer's state."""
        match node:
            case ast.Subscript(ast.Subscript(groups, ast.Constant(0)), ast.Constant("lr")):
                if (rate := self._rate(groups)) is not None and isinstance(node.ctx, ast.Load):
                    return parsed(f"{rate}.item()")
        return super().visit_Subscript(node)

    def _rate(self, groups: ast.expr) -> str | None:
        """The rate of ``optimizer.param_groups`` in the draft, where it can be set."""
        if not isinstance(groups, ast.Attribute) or groups.attr != "param_groups":
            return None
        text = ast.unparse(groups.value)
        named = {name for _, name in self.rates} & set(self.scheduled)
        known = self.attributes.get(text, text) in named
        known = known or self.seen.rates_set
        return f'{text}.opt_state.hyperparams["learning_rate"]' if known else None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``p.requires_grad`` is whether ``p`` is a weight that is trained."""
        if (row := _LEFT.get(node.attr)) is not None and self.qualified(node) is None:
            self.marks.append(f"{row}: {meaning(rows()[row]).option('instead')}")
            return node
        if node.attr != "requires_grad":
            return super().visit_Attribute(node)
        if isinstance(node.ctx, ast.Load) and self.seen.frozen:
            of = ast.unparse(self.visit(node.value))
            return parsed(f"{of}.get_metadata('requires_grad', True)")
        if isinstance(node.ctx, ast.Load):
            return parsed(f"isinstance({ast.unparse(self.visit(node.value))}, nnx.Param)")
        self.marks.append(_FROZEN)
        return node

    @property
    def weights_filter(self) -> str:
        """What flax's filter of the weights that are trained is called in the draft."""
        return "paste.trainable" if self.seen.frozen else "nnx.Param"

    def _trainable(self, weights: ast.expr, value: ast.expr) -> ast.expr:
        """What lets weights be trained, or stay as they are."""
        of = self.visit(weights)
        return ast.Call(parsed("paste.set_trainable"), [of, self.visit(value)], [])

    def _optimizer(self, name: str, node: ast.Call, target: str = "") -> ast.expr | None:
        """``torch.optim.Adam(net.parameters())`` as ``nnx.Optimizer(net, optax.adam(0.001))``."""
        row, every = row_of(name), self.seen.optimizers.get(self.span(node), [])
        made = every[0] if every else None
        weights = [*node.args[:1], *(w.value for w in node.keywords if w.arg == "params")]
        if row is None or not weights or not (models := _models(weights[0], made)):
            return None
        node.keywords = [w for word in node.keywords for w in _by_name(word, made)]
        if any(word.arg is None for word in node.keywords):
            self.marks.append(f"{name}: its settings are not in the source")
            return None
        self._with_arguments(node)
        values, settings = matched(row, node)
        rate = values.get("lr")
        by_run = made is not None and made.rate_is_set
        injected = rate is not None and (target in self.scheduled or by_run)
        if rate is not None:
            self.rates[self.function, target] = copy.deepcopy(rate)
        if injected:
            values["lr"] = parsed("learning_rate")
        model = models[0] if len(models) == 1 else f"nnx.List([{', '.join(models)}])"
        if made is not None and (made.groups or not made.steps_all_of(models)):
            optimizer = self._grouped(row, made, model, values)
            if injected and any("lr" in group for group in made.groups):
                self.marks.append("a schedule here is of all groups: each has a rate of its own")
        else:
            optimizer = simplified(parsed(row.expression or ""), values, settings)
        if injected and rate is not None:
            text = ast.unparse(optimizer)
            plain = text.removesuffix("(learning_rate)")  # as of optax.sgd(learning_rate)
            function = plain if re.fullmatch(r"[\w.]+", plain) else f"lambda learning_rate: {text}"
            outer = parsed(f"optax.inject_hyperparams({function})")
            optimizer = ast.Call(outer, [], [ast.keyword("learning_rate", rate)])
        taken = f"{model}, {ast.unparse(optimizer)}, wrt={self.weights_filter}"
        new = parsed(f"nnx.Optimizer({taken})")
        for each in every:
            each.drafted = ast.unparse(new)
        return new

    def _grouped(
        self, row: Row, made: MadeOptimizer, model: str, values: dict[str, ast.expr]
    ) -> ast.expr:
        """The draft's ``grouped``, with a function of the settings that groups are given."""
        groups = ast.unparse(_Weights().visit(copy.deepcopy(values["params"])))
        groups = groups if made.groups else f"[{{'params': {groups}}}]"
        given = [name for name in row.taken() if any(name in group for group in made.groups)]
        needed = [name for name in given if all(name in group for group in made.groups)]
        taken = [*needed, *(f"{n}={ast.unparse(values[n])}" for n in given if n not in needed)]
        if any(set(group) - set(given) for group in made.groups):
            taken.append("**_")
        own = values | {name: parsed(name) for name in given}
        constant = frozenset(row.parameters) - set(given)
        optimizer = ast.unparse(simplified(parsed(row.expression or ""), own, constant))
        return parsed(f"paste.grouped({model}, {groups}, lambda {', '.join(taken)}: {optimizer})")

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """A group of weights holds a list of them, which can be read more than once."""
        self.generic_visit(node)
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            group = isinstance(key, ast.Constant) and key.value == "params"
            if group and isinstance(value, ast.GeneratorExp):
                node.values[index] = ast.ListComp(value.elt, value.generators)
        return node


class _Weights(ast.NodeTransformer):
    """Takes weights themselves, which ``net.a.kernel[...].T`` is an array of."""

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Attribute(ast.Subscript(weight, ast.Constant(value=EllipsisType())), "T"):
                return weight
            case ast.Subscript(weight, ast.Constant(value=EllipsisType())):
                return weight
        return super().visit(node)


def _models(weights: ast.expr, made: MadeOptimizer | None) -> list[str]:
    """The modules whose weights an optimizer is made with, by the source or by the run."""
    models = [
        ast.unparse(part.func.value)
        for part in ast.walk(weights)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == "parameters"
    ]
    plain = made is None or all(isinstance(made.namespace.get(n), Module) for n in models)
    return models if models and plain else made.modules if made is not None else []


def scheduled(tree: ast.AST, qualified: Any) -> set[str]:
    """The names of the optimizers whose learning rates a file sets, by a schedule or by hand."""
    by_hand = {
        ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "param_groups"
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    made = [c for c in calls if (qualified(c.func) or "").startswith(SCHEDULES)]
    return by_hand | {ast.unparse(c.args[0]) for c in made}


def _by_name(word: ast.keyword, made: MadeOptimizer | None) -> Iterator[ast.keyword]:
    """``**settings`` as ``lr=settings['lr'], ...``, by what the run had in it."""
    text = ast.unparse(word.value)
    name = next((n for n, t in (made.attributes if made else {}).items() if t == text), text)
    given = made.namespace.get(name) if made is not None and word.arg is None else None
    if not isinstance(given, dict):
        yield word
    for key in given if isinstance(given, dict) else ():
        yield ast.keyword(key, parsed(f"{text}[{key!r}]"))
