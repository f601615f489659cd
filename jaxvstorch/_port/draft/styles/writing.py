"""Rewrites the functions of a draft so that models, states and keys come in and go out."""

import ast
import copy
from collections.abc import Iterator

from jaxvstorch._port.draft.helpers import bound_in
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.program import Effect, Modules, Program
from jaxvstorch._port.draft.styles.resolving import Resolving
from jaxvstorch._port.draft.styles.returning import has_result, returning
from jaxvstorch._port.draft.styles.threading import Threading, first_of

Function = ast.FunctionDef


class Writer:
    """Rewrites a draft in NNX; the base of both styles.

    Attributes:
        program: the draft.
        resolving: the modules that names stand for in the function that is being rewritten.
        owner: the class whose method that is.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.resolving = Resolving({}, {})
        self.owner = ""
        self.schedulers: dict[str, str] = {}  # the optimizer of each schedule, by its name
        self.free = {name: self._free(node) for name, node in program.functions.items()}
        self._find_effects()

    def _free(self, function: Function) -> list[str]:
        """The models and optimizers that a function reads from around it."""
        known = {*self.program.variables, *self.program.optimizers}
        read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        return sorted((read & known) - bound_in([function]))

    def _find_effects(self) -> None:
        """Find which functions draw and change state, until nothing new is found."""
        while True:
            before = dict(self.program.effects)
            for owner, methods in self.program.methods.items():
                for name, method in methods.items():
                    if name != "__init__":
                        self.method(owner, copy.deepcopy(method))
            for function in self.program.functions.values():
                self.function(copy.deepcopy(function))
            for name, function in self.program.functions.items():
                inner = [n for n in self.free if n in _called(function) and n != name]
                new = {*self.free[name], *(f for n in inner for f in self.free[n])}
                self.free[name] = sorted(new - bound_in([function]))
            if before == self.program.effects:
                return

    def companions(self, name: str) -> Iterator[str]:
        """What goes with a variable that is a model or an optimizer."""
        if name in self.program.optimizers:
            yield state_of(name)
        elif name in self.program.variables and self.program.is_stateful(
            self.program.variables[name]
        ):
            yield "state"

    def method(self, owner: str, node: Function) -> Function:
        """A method of a module, with the state and the key that it needs."""
        self.owner = owner
        self.resolving = Resolving(
            {"self": self.program.instances.get(owner, [])}, self.program.instances
        )
        if not has_no_decorator(node):
            return node
        threading = self._threaded(node)
        effect = Effect(threading.key, tuple(threading.changed), True, threading.always)
        self.program.effects[f"{owner}.{node.name}"] = effect
        if effect.changed:
            position = node.args.kwonlyargs if node.args.defaults else node.args.args
            position.append(ast.arg("state"))
            if node.args.defaults:
                node.args.kw_defaults.append(None)
            returning(node.body, effect.changed, True)
        self.finish_key(node, threading, default=node.name != "__init__")
        return node

    def threading(self, node: ast.AST, optional: bool = False) -> Threading:
        """What hands keys and state through a function."""
        resolving = self.resolving
        return Threading(self.classify, resolving.note, self.statement, bound_in([node]), optional)

    def _threaded(self, node: Function) -> Threading:
        optional = bool(self.owner) and node.name != "__init__"
        threading = self.threading(node, optional)
        node.body = threading.body(node.body)
        return threading

    def finish_key(self, node: Function, threading: Threading, default: bool = True) -> None:
        """Take a key where one is needed, and split it."""
        arguments = node.args
        for several in (arguments.args, arguments.kwonlyargs):
            for i, a in enumerate(several):
                if a.arg == "rngs":
                    del several[i]
                    if several is arguments.kwonlyargs:
                        del arguments.kw_defaults[i]
        if _begin(node.body, threading):
            return
        if threading.key:
            optional = bool(self.owner) and default and not threading.always
            threading.begin_keys(node.body, first_of(node.body), optional)
            arguments.kwonlyargs.append(ast.arg("key"))
            arguments.kw_defaults.append(ast.Constant(None) if default else None)

    def function(self, node: Function) -> Function:
        """A function of the program, which returns what it changed after its own result."""
        self.owner = ""
        env = dict(self.program.variables)
        self.resolving = Resolving(env, self.program.instances)
        name, free = node.name, self.free[node.name]
        self._take(node, free)
        steps = any("nnx.jit" in ast.unparse(d) for d in node.decorator_list)
        if steps:
            self.jit(node)
        result = has_result(node)
        if steps and (inner := [p for p in node.body if isinstance(p, Function)]):
            threading = self.step(node, inner[0])
        else:
            threading = self._threaded(node)
        taken = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        changed = tuple(n for n in taken if n in threading.changed)
        seeded = any(map(_is_seed, node.body))
        self.program.effects[name] = Effect(threading.key and not seeded, changed, result)
        if changed:
            returning(node.body, changed, result)
        self.finish_key(node, threading, default=False)
        return node

    def _take(self, node: Function, free: list[str]) -> None:
        """Take the models that a function read from around it, and what goes with each model."""
        arguments = node.args
        taken = list[ast.arg]()
        for argument in [*arguments.args, *map(ast.arg, free if not arguments.defaults else [])]:
            taken.append(argument)
            if not arguments.defaults:
                taken += [ast.arg(n) for n in self.companions(argument.arg)]
        if arguments.defaults:
            own = [*(a.arg for a in arguments.args), *free]
            further = [*free, *(c for n in own for c in self.companions(n))]
            arguments.kwonlyargs += map(ast.arg, further)
            arguments.kw_defaults += [None] * len(further)
        arguments.args = taken

    def jit(self, node: Function) -> None:
        """Compile a function as the style does."""
        raise NotImplementedError

    def step(self, node: Function, loss: Function) -> Threading:
        """Rewrite a training step, which has a function for its loss; what it changes."""
        raise NotImplementedError

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        """A statement in the words of the style."""
        yield node

    def main(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of the program itself."""
        self.owner = ""
        self.resolving = Resolving(self.program.variables, self.program.instances)
        threading = self.threading(ast.Module(body, []))
        new = threading.body(body)
        _begin(new, threading)
        return new

    def classify(self, call: ast.Call) -> Effect | None:
        """The effect of a call, whose function and arguments become those of the style."""
        func = call.func
        name = ast.unparse(func)
        if isinstance(func, ast.Name) and name in self.program.functions:
            return self._of_function(call, name)
        if name == "paste.jitted_call":
            modules = self.resolving.modules(call.args[0])
            return self.called(call, modules, "__call__", call.args[0])
        if modules := self.resolving.modules(func):
            return self.called(call, modules, "__call__", func)
        if isinstance(func, ast.Attribute):
            modules = self.resolving.modules(func.value)
            owners = {self.program.defining(type(m).__name__, func.attr) for m in modules}
            if ast.unparse(func.value) == "self" and self.owner:
                owners = {self.program.defining(self.owner, func.attr)}
            if (owners & self.program.methods.keys()) and func.attr != "__init__":
                return self.of_method(call, next(iter(owners)), func.attr)
        if any(w.arg == "rngs" for w in call.keywords):
            return self.constructed(call, name)
        return None

    def called(self, call: ast.Call, modules: Modules, method: str, of: ast.expr) -> Effect | None:
        """The effect of calling modules."""
        raise NotImplementedError

    def of_method(self, call: ast.Call, owner: str, method: str) -> Effect | None:
        """The effect of calling a method of a class."""
        raise NotImplementedError

    def constructed(self, call: ast.Call, name: str) -> Effect | None:
        """The effect of making a layer or a module."""
        raise NotImplementedError

    def _of_function(self, call: ast.Call, name: str) -> Effect:
        """The effect of a function, which is given what goes with models, and returns changes."""
        function = self.program.functions[name]
        effect = self.program.effects.get(name, Effect())
        call.args = [a for a in call.args if ast.unparse(a) not in ("rngs",)]
        by_keyword = bool(function.args.defaults)
        given = dict[str, ast.expr]()
        names = [a.arg for a in function.args.args if a.arg != "rngs"]
        args = list[ast.expr]()
        for parameter, value in zip(names, call.args, strict=False):
            args.append(value)
            given[parameter] = value
            for companion in self.companions(parameter):
                own = self._companion(value, companion)
                given[companion] = own
                if by_keyword:
                    call.keywords.append(ast.keyword(companion, own))
                else:
                    args.append(own)
        args += call.args[len(names) :]
        for free in self.free[name]:
            for each in (free, *self.companions(free)):
                given[each] = ast.Name(each, ast.Load())
                if by_keyword:
                    call.keywords.append(ast.keyword(each, given[each]))
                else:
                    args.append(given[each])
        given |= {w.arg: w.value for w in call.keywords if w.arg}
        call.args = args
        changed = list[str]()
        for parameter in effect.changed:
            target = given.get(parameter)
            if not isinstance(target, ast.Name):
                text = ast.unparse(target) if target is not None else parameter
                raise CannotWriteError(f"where {name} changes an attribute or an element", text)
            changed.append(target.id)
        return Effect(effect.key, tuple(changed), effect.returns)

    def _companion(self, value: ast.expr, companion: str) -> ast.expr:
        text = ast.unparse(value)
        if not isinstance(value, ast.Name):
            raise CannotWriteError("a model or an optimizer that is an attribute", text)
        return ast.Name("state" if companion == "state" else state_of(text), ast.Load())


def _is_seed(node: ast.stmt) -> bool:
    return ast.unparse(node).startswith("rngs = nnx.Rngs(")


def _begin(body: list[ast.stmt], threading: Threading) -> bool:
    """Begin a key where random numbers are seeded; whether they are."""
    at = next((i for i, node in enumerate(body) if _is_seed(node)), None)
    if at is None:
        return False
    seed = ast.unparse(body[at]).partition("Rngs(")[2].removesuffix(")")
    body[at : at + 1] = []
    if threading.key:
        body.insert(at, ast.parse(f"key = jax.random.key({seed})").body[0])
        threading.begin_keys(body, at + 1)
    return True


def state_of(optimizer: str) -> str:
    """The name of an optimizer's state."""
    bare = optimizer.rpartition(".")[2]
    return "opt_state" if bare in ("optimizer", "opt", "optim") else f"{bare}_state"


def _called(node: ast.AST) -> set[str]:
    return {ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}


def has_no_decorator(node: Function) -> bool:
    """Whether a method is one of objects, and no property."""
    kinds = {ast.unparse(d) for d in node.decorator_list}
    return not kinds & {"staticmethod", "classmethod", "property"}
