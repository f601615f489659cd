"""Modules of linen: fields, ``setup``, and layers that are made where they are called."""

import ast
import copy
from typing import Any

from jaxvstorch._port.from_jax.layers import MODES
from jaxvstorch._port.torch_draft.layers import constructed
from jaxvstorch._port.torch_draft.training import Training


class Compact(Training):
    """Makes an ``__init__`` of what linen keeps elsewhere."""

    def _with_fields(
        self,
        node: ast.ClassDef,
        fields: list[ast.AnnAssign],
        methods: dict[str, ast.FunctionDef],
        body: list[ast.stmt],
    ) -> ast.FunctionDef:
        """An ``__init__`` for a class whose settings are fields, and its layers made in it."""
        text = ", ".join(["self", *(ast.unparse(_parameter(f)) for f in fields)])
        init: Any = ast.parse(f"def __init__({text}):\n    pass").body[0]
        init.lineno = 0 - node.lineno  # no function of the program begins there
        init.body = [ast.parse(f"self.{n} = {n}").body[0]
                     for n in (ast.unparse(f.target) for f in fields)]  # fmt: skip
        setup = methods.get("setup")
        if setup is not None:
            init.body += setup.body
            init.lineno = setup.lineno
            body.remove(setup)
        call = methods.get("__call__")
        if call is not None:
            init.body += self._compact(call)
            self.replacing = False
        at = next((i for i, s in enumerate(body) if isinstance(s, ast.FunctionDef)), len(body))
        body.insert(at, init)
        return init  # type: ignore[no-any-return]

    def _compact(self, call: ast.FunctionDef) -> list[ast.stmt]:
        """The statements that make the layers of a compact module, which its call then uses."""
        made = list[ast.stmt]()
        local = {a.arg for a in call.args.args[1:]}
        local |= {n.id for n in ast.walk(call) if isinstance(getattr(n, "ctx", None), ast.Store)
                  and isinstance(n, ast.Name)}  # fmt: skip
        iterators = list[ast.stmt]()
        calls = [n for s in call.body for n in ast.walk(s) if isinstance(n, ast.Call)]
        for node in sorted(calls, key=lambda n: (n.lineno, n.col_offset)):
            if ast.unparse(node.func) == "self.param":
                name = ast.literal_eval(node.args[0])
                made.append(_assign(name, self.parameter(node)))
                self.replaced[self.at(node)] = _attribute(name)
                continue
            layers = self.recording.made.get(self.at(node), [])
            unique = {layer[3].name: layer for layer in layers if getattr(layer[3], "name", None)}
            if not unique:
                continue
            if len(unique) == 1 or not _in_loop(call, node):
                name = next(iter(unique))
                flags = [w for w in node.keywords if w.arg in MODES]
                node.keywords = [w for w in node.keywords if w not in flags]
                made.append(_assign(name, self.with_values(node, unique[name], local)))
                self.replaced[self.at(node)] = _attribute(name)
                self.flags[ast.unparse(_attribute(name))] = flags
                continue
            for name, layer in unique.items():
                made.append(_assign(name, self.unrolled(node, name, layer, local)))
                if layer[0] not in self.classes:
                    made += self.first_weights(node, layer[0], f"self.{name}")
            several = f"iter([{', '.join(f'self.{n}' for n in unique)}])"
            variable = f"layers_{len(iterators)}" if iterators else "layers"
            iterators.append(ast.parse(f"{variable} = {several}").body[0])
            self.replaced[self.at(node)] = ast.parse(f"next({variable})", mode="eval").body
        at = 1 if ast.get_docstring(call) is not None else 0
        call.body[at:at] = iterators
        return made

    def with_values(self, node: ast.Call, layer: Any, local: set[str]) -> ast.Call:
        """A call that makes a layer, with the run's numbers for what only the call of it knows."""
        new = copy.copy(node)

        def value(part: ast.expr, seen: Any) -> ast.expr:
            read = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
            plain = isinstance(seen, bool | int | float | str | tuple | None)
            return ast.parse(repr(seen), mode="eval").body if read & local and plain else part

        _, args, kwargs, _ = layer
        new.args = [value(*pair) for pair in zip(node.args, args, strict=False)]
        new.keywords = [
            ast.keyword(w.arg, value(w.value, kwargs.get(f"{w.arg}", w.value)))
            for w in node.keywords if w.arg != "name"
        ]  # fmt: skip
        return new

    def unrolled(self, node: ast.Call, name: str, layer: Any, local: set[str]) -> ast.expr:
        """One of several layers that a call in a loop makes, with the arguments of the run."""
        new = copy.deepcopy(self.with_values(node, layer, local))
        if layer[0] in self.classes:
            return ast.copy_location(new, node)
        try:
            made = constructed(layer, new, lambda part: part, self.input_size(name))
        except (ValueError, TypeError) as error:
            self.todo.append(str(error))
            return node
        return made

    def parameter(self, node: ast.Call) -> ast.expr:
        """``self.param(name, init, shape)`` as ``nn.Parameter``."""
        shape = node.args[2] if len(node.args) > 2 else ast.Tuple([], ast.Load())
        first = self.initial(node.args[1], shape)
        return ast.Call(ast.parse("nn.Parameter", mode="eval").body, [first], [])


def _parameter(field: ast.AnnAssign) -> ast.stmt:
    return ast.AnnAssign(field.target, field.annotation, field.value, 1)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    target = _attribute(name)
    target.ctx = ast.Store()
    return ast.copy_location(ast.Assign([target], value), value)


def _attribute(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def _in_loop(function: ast.FunctionDef, node: ast.AST) -> bool:
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.ListComp)]
    return any(part is node for loop in loops for part in ast.walk(loop))
