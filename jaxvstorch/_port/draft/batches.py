"""Rewrites how a program gets its batches: its own DataLoader stays, and hands its arrays over."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from jaxvstorch._port.draft.adding import add_arrays, read_after
from jaxvstorch._port.draft.commenting import UNREACHED, UNSEEN, is_behind
from jaxvstorch._port.draft.distributions import Distributions
from jaxvstorch._port.draft.expressions import DATA, RUN_BY_LOADERS, parsed
from jaxvstorch._port.draft.reading import names_in

_LOG = "torch.utils.tensorboard.SummaryWriter"  # takes NumPy arrays


class Batches(Distributions):
    """Hands the arrays of a DataLoader over, in loops and one by one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.iterators: set[str] = set()  # the names of iterators over a DataLoader

    def visit_Assign(self, node: ast.Assign) -> Any:
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        if called == "iter" and node.lineno in self.seen.loader_lines:
            self.iterators.add(ast.unparse(node.targets[0]))
        return super().visit_Assign(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The next batch of a DataLoader is handed over; calls without gradients are compiled.

        ``data_parallel(net, x)`` is a call of ``net``: a batch that is sharded makes it parallel.
        """
        name = self.qualified(node.func)
        if name == "torch.nn.parallel.data_parallel" and len(node.args) > 1:  # by its sharding
            self.marks.append(f"{name} {UNREACHED if self._did_not_run(node) else UNSEEN}")
            node = ast.copy_location(ast.Call(node.args[0], node.args[1:2], []), node)
        match node:
            case ast.Call(ast.Attribute(owner), [_, value, *_]) if self.made.get(
                ast.unparse(owner)
            ) == _LOG and not isinstance(value, ast.Constant):
                call = ast.Call(parsed("jax.device_get"), [value], [])
                node.args[1] = ast.copy_location(call, value)
        first = ast.unparse(node.args[0]) if node.args else ""
        if ast.unparse(node.func) == "next" and first in self.iterators:
            return ast.Call(parsed("jax.tree.map"), [parsed("jnp.asarray"), node], [])
        arrays = self.seen.data_sets.get(self.span(node), ())
        new = super().visit_Call(node)
        if arrays and isinstance(new, ast.Call):  # PyTorch's loader hands them out
            new.args = [_in_torch(a) if i in arrays else a for i, a in enumerate(new.args)]
            for word in new.keywords:
                word.value = _in_torch(word.value) if word.arg in arrays else word.value
        evaluated = self.span(node) in self.seen.evaluations and not self.in_step
        if evaluated and isinstance(new, ast.Call) and not new.keywords:
            if self.seen.of_values_below((), self.seen.instances.values()):
                return new
            return ast.Call(parsed("paste.jitted_call"), [new.func, *new.args], [])
        return new

    def visit_For(self, node: ast.For) -> Any:
        totals = [] if self.in_step else add_arrays(node)
        new = self._loop(node)
        return [new, read_after(totals)] if totals else new

    def _loop(self, node: ast.For) -> Any:
        """A loop over a DataLoader hands its arrays over; one over weights writes into them."""
        if (statement := self.rate_set(node)) is not None:
            return statement
        lines = range(node.iter.lineno, (node.iter.end_lineno or 0) + 1)
        outer_weights = self.weights
        if "parameters()" in ast.unparse(node.iter):
            self.weights |= names_in(node.target, ast.Store)
        node.iter = self.iterated(node.iter)
        if self.seen.loader_lines.isdisjoint(lines):
            new = self.generic_visit(node)
            self.weights = outer_weights
            return new
        target: ast.expr = node.target
        function = node.iter.func if isinstance(node.iter, ast.Call) else None
        if function is not None and ast.unparse(function) == "enumerate":
            assert isinstance(target, ast.Tuple)
            target = target.elts[1]
        text = ast.unparse(target).strip("()")
        handed = f"{text} = jax.tree.map(jnp.asarray, ({text}))"
        if isinstance(target, ast.Tuple | ast.List):
            names = [ast.unparse(part) for part in target.elts]
            names = [name for name in names if not name.startswith(("_", "*"))]
            each = ", ".join(f"jnp.asarray({name})" for name in names)
            handed = f"{', '.join(names)} = {each}"
        new = self.generic_visit(node)
        assert isinstance(new, ast.For)
        place = sum(map(is_behind, new.body[:1]))
        new.body[place:place] = ast.parse(handed).body
        return new


class InPyTorch(ast.NodeTransformer):
    """Reads PyTorch's copies of what the rest of a draft has in JAX.

    Args:
        names: those that there are copies of.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"torch_{node.id}", node.ctx) if node.id in self.names else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = f"torch_{node.name}" if node.name in self.names else node.name
        return node


def _in_torch(array: ast.expr) -> ast.expr:
    return ast.Call(parsed("torch.from_dlpack"), [array], [])


def run_by_loaders(
    parts: Mapping[str, Sequence[ast.stmt]],
    others: Iterable[ast.stmt],
    bases: Mapping[str, Sequence[str]],
) -> tuple[set[str], set[str]]:
    """The names of a file's definitions and constants that data sets and their loaders run.

    They stay as they are: a loader's workers are forked processes, in which JAX can wait forever.

    Args:
        parts: the statements that define each name.
        others: the file's other statements.
        bases: the full names of the bases of each class.

    Returns:
        Those that nothing else reads, and those that the rest of the program reads too.
    """
    every = [*(node for nodes in parts.values() for node in nodes), *others]
    calls = [n for node in every for n in ast.walk(node) if isinstance(n, ast.Call)]
    given = [w.value for call in calls for w in call.keywords if w.arg in RUN_BY_LOADERS]
    run = {name for value in given for name in names_in(value, ast.Load)} & parts.keys()
    for name, of in bases.items():
        if any(base.startswith(DATA) or base in run for base in of):
            run.add(name)
    read = {name: names_in(ast.Module([*nodes], []), ast.Load) for name, nodes in parts.items()}
    outside, known, before = set[str]().union(*(names_in(n, ast.Load) for n in others)), run, None
    while known != before:
        before = known
        helpers = set[str]().union(*(read[name] for name in known)) & parts.keys()
        rest = outside.union(*(names for name, names in read.items() if name not in known))
        run, known = run | (helpers - rest), known | helpers
    return run, known - run
