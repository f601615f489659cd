"""Writes a draft in functions of dictionaries of arrays, with jax and optax alone."""

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any

import torch

from jaxvstorch._port.draft.helpers import bound_in
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.applying import Applying
from jaxvstorch._port.draft.styles.function_reads import Reads
from jaxvstorch._port.draft.styles.inits import Tidied
from jaxvstorch._port.draft.styles.program import Effect, Modules, Program, has_averages
from jaxvstorch._port.draft.styles.resolving import Resolving
from jaxvstorch._port.draft.styles.returning import returning
from jaxvstorch._port.draft.styles.sequences import unrolled
from jaxvstorch._port.draft.styles.threading import Threading, first_of
from jaxvstorch._port.draft.styles.writing import Function, has_no_decorator

_PLAIN = (bool, int, float, str, tuple, type(None))


class Functions(Applying):
    """Rewrites modules as functions, and what calls them.

    Attributes:
        names: the functions of methods, by class and name.
        mode: whether models are in training where a function is being rewritten; None if unknown.
    """

    gradient, applying = "jax.value_and_grad", "optax.apply_updates"

    def __init__(self, program: Program) -> None:
        for owner, node in program.classes.items():
            if any(ast.unparse(b) != "nnx.Module" for b in node.bases):
                error = CannotWriteError("a class that is derived from another one", owner)
                error.set_line(node)
                raise error
        self.names, self.init_names = _names(program)
        self.roots, self.taken = {}, set()
        self.settings: dict[str, Any] = {}
        self.mode: bool | None = None
        self.modes: dict[str, set[bool]] = {}
        self.ends: dict[str, bool | None] = {}
        models = {n for n, m in program.variables.items() if type(m[0]).__name__ in program.classes}
        kinds = {type(program.variables[n][0]) for n in models}
        self.models = {n: "params" if len(kinds) == 1 else f"{n}_params" for n in models}
        super().__init__(program)
        own = [n for n in program.tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
        for _ in range(4):  # the modes that functions begin with come from those that call them
            self.main(copy.deepcopy(own))
            for function in program.functions.values():
                self.function(copy.deepcopy(function))

    def companions(self, name: str) -> Iterator[str]:
        if name in self.program.variables and self.has_state(self.program.variables[name]):
            yield "state"
        elif name not in self.program.variables:
            yield from super().companions(name)

    def has_state(self, modules: Modules) -> bool:
        """Whether modules have arrays that no optimizer changes."""
        return any(has_averages(p) or _fixed(p) for m in modules for p in m.modules())

    def state_names(self) -> list[str]:
        """The names of arrays that no optimizer changes."""
        parts = [p for several in self.program.instances.values() for m in several
                 for p in m.modules()]  # fmt: skip
        averages = ["running_mean", "running_var"] * any(map(has_averages, parts))
        return [*averages, *sorted({name for p in parts for name in _fixed(p)})]

    def functions(self) -> dict[str, tuple[Any, ...]]:
        """What makes the weights of each class, its function, and settings that differ."""
        return {
            owner: (self.init_names.get(owner, ""), self.names[owner, "__call__"],
                    self.program.effects[f"{owner}.__call__"].settings)
            for owner, methods in self.program.methods.items() if "__call__" in methods
        }  # fmt: skip

    def module(self, node: ast.ClassDef) -> list[ast.stmt]:
        """The functions of a class: what makes its weights, and its methods."""
        methods = [part for part in node.body if isinstance(part, Function)]
        others = [self.method(node.name, m) for m in methods if m.name != "__init__"]
        made = [self.init_function(node.name, m) for m in methods
                if m.name == "__init__" and node.name in self.init_names]  # fmt: skip
        documented = first_of(node.body) and others and not first_of(others[0].body)
        if documented:
            first = next(
                (m for m in others if m.name == self.names[node.name, "__call__"]), others[0]
            )
            first.body.insert(0, node.body[0])
        return [*made, *others]

    def method(self, owner: str, node: Function) -> Function:
        self.owner = owner
        if not has_no_decorator(node):
            error = CannotWriteError("a method with a decorator", f"{owner}.{node.name}")
            error.set_line(node)
            raise error
        instances = self.program.instances.get(owner, [])
        self.resolving = Resolving({"self": instances}, self.program.instances)
        self.roots, self.taken, self.settings = {"self": ("params", "state")}, set(), {}
        self.varied = {}
        node.args.args = node.args.args[1:]
        bound = bound_in([node])
        threading = self._threaded(node)
        changed = ("state",) * any(n.startswith("state") for n in threading.changed)
        settings = tuple(
            (n, d, tuple(v.items()), source) for n, (d, v, source) in sorted(self.varied.items())
        )
        taken = frozenset(self.taken)
        effect = Effect(threading.key, changed, True, threading.always, taken, settings=settings)
        self.program.effects[f"{owner}.{node.name}"] = effect
        if changed:
            returning(node.body, changed, True)
            nested = any(n.count("[") > 1 for n in threading.changed)
            text = "jax.tree.map(lambda x: x, state)  # a copy" if nested else "dict(state)"
            node.body.insert(first_of(node.body), ast.parse(f"state = {text}").body[0])
        given = [p for p in ("params", "state") if p in self.taken]
        node.args.args = [*map(ast.arg, given), *node.args.args]
        self.finish_key(node, threading, default=not threading.always)
        named: dict[str, Any] = {"training": False} if "training" in self.taken else {}
        named |= {n: v for n, v in self.settings.items() if n not in bound}
        if bound & self.varied.keys() or named.keys() & self.varied.keys():
            raise CannotWriteError("layers whose settings differ", owner)
        named |= {n: default for n, (default, *_) in self.varied.items()}
        for name, value in named.items():
            node.args.kwonlyargs.insert(0, ast.arg(name))
            node.args.kw_defaults.insert(0, ast.Constant(value))
        node.name = self.names[owner, node.name]
        return node

    def function(self, node: Function) -> Function:
        name = node.name
        self.roots, self.taken, self.settings, self.varied = {}, set(), {}, {}
        modes = self.modes.get(name, set())
        steps = [s for s in self.program.steps if s.drafted and s.drafted.name == name]
        for step in steps:
            modes = {m.training for m in step.before.values() if isinstance(m, torch.nn.Module)}
        self.mode, self.set_here = next(iter(modes)) if len(modes) == 1 else None, False
        self.known = bool(modes)
        new = super().function(node)
        self.ends[name] = self.mode if self.set_here else None
        return new

    def main(self, body: list[ast.stmt]) -> list[ast.stmt]:
        self.roots, self.mode, self.known, self.set_here = {}, True, True, False
        self.varied = {}
        return super().main(body)

    def jit(self, node: Function) -> None:
        spaces = [
            s.namespace for s in self.program.steps if s.drafted and s.drafted.name == node.name
        ]
        static = [a.arg for a in node.args.args
                  if any(_is_static(s.get(a.arg, 0)) for s in spaces)
                  and a.arg not in self.models]  # fmt: skip
        names = repr(static[0] if len(static) == 1 else tuple(static))
        text = f"partial(jax.jit, static_argnames={names})" if static else "jax.jit"
        node.decorator_list = [ast.parse(text, mode="eval").body]

    def weights(self, model: str) -> str:
        return model

    def saving(self, model: str, path: str) -> str:
        stateful = self.has_state(self.program.variables.get(model, []))
        return f"paste.save_arrays({f'({model}, state)' if stateful else model}, {path})"

    def threading(self, node: ast.AST, optional: bool = False) -> Threading:
        return Threading(self.classify, self.noted, self.statement, bound_in([node]), optional)

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        if self.in_init:
            yield from self.init_statement(node)
            return
        if (mode := self.sets_mode(node)) is not None:
            if not isinstance(mode[1], ast.Constant):
                raise CannotWriteError("a mode that is known only later", ast.unparse(node))
            self.mode = bool(mode[1].value)
            self.known = self.set_here = True
            return
        match node:
            case ast.Assign([ast.Name()], ast.Call(ast.Name(made))) if (
                made in self.program.classes and not self.owner
            ):
                if self.has_state(self.program.instances.get(made, [])):
                    split = ast.parse("paste.split_state", mode="eval").body
                    node.value = ast.Call(split, [node.value], [])
                    names = [node.targets[0], ast.Name("state", ast.Store())]
                    node.targets = [ast.Tuple(names, ast.Store())]
                yield node
                return
        for part in unrolled(node, self.resolving, self.alike):
            if isinstance(part, ast.For | ast.While | ast.If | ast.With | ast.Try):
                if isinstance(part, ast.While | ast.If):
                    part.test = Reads(self).visit(part.test)
                yield part
            elif isinstance(part, ast.FunctionDef):
                yield part
            else:
                yield from super().statement(Reads(self).visit(part))

    def is_called(self, func: ast.expr) -> bool:
        """Whether an expression is a module or a method that is called."""
        if self.resolving.modules(func):
            return True
        if not isinstance(func, ast.Attribute):
            return False
        owners = {type(m).__name__ for m in self.resolving.modules(func.value)}
        return any((owner, func.attr) in self.names for owner in owners)

    def setting(self, of: ast.expr, modules: Modules, path: list[str]) -> ast.expr:
        """A setting of modules: its value, as an argument by default where it is given one."""
        if self.in_init:
            return ast.parse(".".join(path), mode="eval").body
        text = f"{ast.unparse(of)}.{'.'.join(path)}"
        values = list[Any]()
        for held in list[Any](modules):
            for name in path:
                held = getattr(held, name, None)
            values.append(held)
        made = self.program.methods.get(type(modules[0]).__name__, {}).get("__init__")
        assigned = [n.value for n in ast.walk(made) if isinstance(n, ast.Assign)
                    and ast.unparse(n.targets[0]) == f"self.{path[0]}"] if made else []  # fmt: skip
        value = values[0]
        if any(v != value for v in values[1:]):
            raise CannotWriteError("a setting that differs from module to module", text)
        if not isinstance(value, _PLAIN):
            local = bound_in([made]) if made else set()
            read = {n.id for a in assigned for n in ast.walk(a) if isinstance(n, ast.Name)}
            if len(assigned) == 1 and len(path) == 1 and not read & local:
                return copy.deepcopy(assigned[0])
            raise CannotWriteError("a setting that is no number, text or flag", text)
        fixed = assigned and isinstance(assigned[0], ast.Constant)
        if fixed or not self.owner or self.settings.get(path[-1], value) != value:
            return ast.parse(repr(value), mode="eval").body
        self.settings[path[-1]] = value
        return ast.Name(path[-1], ast.Load())

    def rest(self, tree: ast.AST) -> ast.AST:
        """The last changes of a tree, once all else is written."""
        inits = {*self.init_names.values(), "paste.split_state"}
        return Tidied(inits, self.models).visit(tree)  # type: ignore[no-any-return]


def _is_static(value: Any) -> bool:
    """Whether a value is none that a compiled function takes as an array."""
    return not isinstance(value, torch.Tensor | int | float | list | tuple | dict)


def _fixed(module: torch.nn.Module) -> list[str]:
    """The names of a module's arrays that no optimizer changes, but for running averages."""
    own = type(module).__module__.startswith("torch.nn.")
    held = {} if own else {**vars(module), **module._buffers}
    return [n for n, x in held.items() if isinstance(x, torch.Tensor)]


def _names(program: Program) -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """The functions of methods, by class and name, and those that make weights, by class."""
    loops = {n.target for n in ast.walk(program.tree) if isinstance(n, ast.For | ast.comprehension)
             and "self." in ast.unparse(n.iter)}  # fmt: skip
    inner = {n.id for target in loops for n in ast.walk(target) if isinstance(n, ast.Name)}
    bound = bound_in(program.tree.body) - {*program.variables} - inner
    bound -= {m for methods in program.methods.values() for m in methods}
    counts = [m for methods in program.methods.values() for m in methods]
    names, inits = dict[tuple[str, str], str](), dict[str, str]()
    for owner, methods in program.methods.items():
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", owner).lower()
        for method in methods:
            alone = counts.count(method) == 1 and method not in {*bound, *program.functions}
            name = method if alone else f"{snake}_{method}"
            if method == "__call__":
                name = f"apply_{snake}" if snake in bound else snake
            names[owner, method] = name
        if any(m.state_dict() for m in program.instances.get(owner, [])):
            inits[owner] = f"init_{snake}"
    return names, inits
