"""Marks what a draft in PyTorch has left of JAX, and the names that it uses and does not make."""

import ast
import copy
from collections.abc import Iterator, Mapping

from jaxvstorch._port.draft.commenting import TODO, comment, is_marker, mark
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.map.rows import jax_rows, meaning

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NESTED = (ast.stmt, ast.ExceptHandler, ast.match_case)
_HEADERS = ("test", "iter", "items", "subject")  # what a compound statement evaluates first
_IN_A_DRAFT = {"jax.numpy": "jnp", "flax.linen": "linen"}  # for np and nn
_SAVING = ("`torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict()}, file)`,"
           " and `load_state_dict` of what `torch.load(file)` returns")  # fmt: skip
_METHODS = ("apply_fn", "apply_gradients", "block_until_ready", "hyperparams")
_UPDATES = ("set", "get", "add", "subtract", "multiply", "divide", "power", "min", "max", "apply")
_SHORT = {"jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx."}  # in the map's names
_SHOWN = 80  # characters of an expression


def name_apart(node: ast.AST, program: ast.AST, names: Mapping[str, str]) -> dict[str, str]:
    """Give what is left of JAX another name where the draft has the program's for something else.

    Args:
        node: what has statements, changed in place.
        program: its tree, in which names stand where they stood.
        names: the full names of JAX's, by the names that the draft's own imports have, such as nn.

    Returns:
        The full names, by the names that they have now.
    """
    places = {_place(n) for n in ast.walk(program) if isinstance(n, ast.Name) and n.id in names}
    new = {n: _IN_A_DRAFT.get(full, full.replace(".", "_")) for n, full in names.items()}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in names and _place(part) in places:
            part.id = new[part.id]
    return {new[name]: full for name, full in names.items()}


def _place(node: ast.Name) -> tuple[str, int | None, int | None]:
    return node.id, getattr(node, "lineno", None), getattr(node, "col_offset", None)


def mark_leftovers(node: ast.AST, names: Mapping[str, str]) -> None:
    """Put a mark above each statement that reads a name of JAX.

    Args:
        node: what has statements, changed in place.
        names: the full names of what the program imports of JAX and its libraries, by name.
    """
    for field, statements in ast.iter_fields(node):
        if not isinstance(statements, list):
            continue
        new = list[ast.AST]()
        for part in statements:
            if isinstance(part, _NESTED):
                mark_leftovers(part, names)
            if isinstance(part, ast.stmt):
                new += [mark(_sentence(name)) for name in dict.fromkeys(_read(part, names))]
            new.append(part)
        setattr(node, field, new)


def _read(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The full names of JAX that a statement reads, without those inside of it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, _NESTED):
            continue
        full = qualified(part, names) if isinstance(part, ast.Name | ast.Attribute) else None
        if full is not None:
            yield full
        elif (method := _method(part)) is not None:
            yield method
        else:
            yield from _read(part, names)


def _method(node: ast.AST) -> str | None:
    """A method or attribute that only objects of JAX and its libraries have."""
    match node:
        case ast.Attribute(attr=name) if name in _METHODS:
            return f".{name}"
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")), attr=name) if (
            name in _UPDATES
        ):
            return f".at[].{name}"
        case ast.Call(func=ast.Attribute(attr="apply"), args=args, keywords=words) if (
            len(args) + len(words) > 1
        ):
            return ".apply"
    return None


def _sentence(name: str) -> str:
    for long, short in _SHORT.items():
        name = short + name.removeprefix(long) if name.startswith(long) else name
    row = jax_rows().get(name)
    instead = row and meaning(row).option("instead")
    expression = None if row is None else meaning(row).expression
    if expression is not None:
        written = f"; in PyTorch, `{expression}`" if len(expression) < _SHOWN else ""
        return f"{name}: the run did not show how it is called{written}"
    if instead is None and name.startswith("orbax."):
        instead = _SAVING
    return f"{name}: {instead or 'it has no counterpart here'}"


def mark_unbound(node: ast.AST, names: set[str]) -> None:
    """Put a mark above each statement that reads one of some names, unless its function makes it.

    Args:
        node: what has statements, changed in place.
        names: those that nothing in the draft makes.
    """
    for field, statements in ast.iter_fields(node):
        if not isinstance(statements, list):
            continue
        new = list[ast.AST]()
        for part in statements:
            if isinstance(part, _NESTED):
                inside = names - bound_in(part) if isinstance(part, _SCOPES) else names
                mark_unbound(part, inside)
            if isinstance(part, ast.stmt):
                read = [n.id for n in _own_names(part) if n.id in names]
                new += [mark(f"{name}: the draft has no such name") for name in dict.fromkeys(read)]
            new.append(part)
        setattr(node, field, new)


def _own_names(node: ast.AST) -> Iterator[ast.Name]:
    """The names that a statement reads, without those of statements inside of it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part
        elif isinstance(part, ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.DictComp):
            bound = bound_in(part)
            yield from (name for name in _own_names(part) if name.id not in bound)
        elif not isinstance(part, _NESTED):
            yield from _own_names(part)


def bound_in(scope: ast.AST) -> set[str]:
    """The names that a function makes: its parameters, and what it assigns or defines."""
    parts = list(ast.walk(scope))
    return {
        *(n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)),
        *(n.arg for n in parts if isinstance(n, ast.arg)),
        *(n.name for n in parts if isinstance(n, ast.FunctionDef | ast.ClassDef)),
    }


def can_be_imported(body: list[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """Statements of a module, of which those that read a name that nothing makes are comments.

    What they assign is None, so that the module can be imported; functions stay as they are.

    Args:
        body: the statements.
        names: those that nothing makes.
    """
    new = list[ast.stmt]()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            _without_names(node, names)
            if isinstance(node, ast.ClassDef):
                node.body = can_be_imported(node.body, names) or [ast.Pass()]
        elif isinstance(node, ast.If | ast.For | ast.With | ast.Try) and not _evaluates(
            [getattr(node, field, None) for field in _HEADERS], names
        ):
            node.body = can_be_imported(node.body, names)
            if all(is_marker(s) or _is_mark(s) for s in node.body):
                node.body.append(ast.Pass())
        elif not is_marker(node) and _evaluates([node], names):
            new += [comment(line) for line in ast.unparse(ast.fix_missing_locations(
                copy.deepcopy(node))).splitlines() if "\\x00" not in line]  # fmt: skip
            made = {n.id: None for n in ast.walk(node) if isinstance(n, ast.Name)
                    and isinstance(n.ctx, ast.Store)}  # fmt: skip
            new += [ast.parse(f"{name} = None").body[0] for name in made]
            continue
        new.append(node)
    return new


def _is_mark(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return text.startswith(TODO)
    return False


def _evaluates(nodes: list[ast.AST | list[ast.AST] | None], names: set[str]) -> bool:
    """Whether expressions read one of some names, outside of the body of a function."""
    for node in nodes:
        if isinstance(node, list):
            if _evaluates([*node], names):
                return True
        elif isinstance(node, ast.Name):
            if node.id in names:
                return True
        elif node is None or isinstance(node, _SCOPES):
            continue
        elif _evaluates([*ast.iter_child_nodes(node)], names):
            return True
    return False


def _without_names(node: ast.FunctionDef | ast.ClassDef, names: set[str]) -> None:
    """Leave names out of what a definition evaluates: decorators, bases, annotations, defaults."""
    node.decorator_list = [d for d in node.decorator_list if not _evaluates([d], names)]
    if isinstance(node, ast.ClassDef):
        node.bases = [b for b in node.bases if not _evaluates([b], names)]
        return
    args, nothing = node.args, ast.Constant(None)
    args.defaults = [nothing if _evaluates([d], names) else d for d in args.defaults]
    args.kw_defaults = [nothing if _evaluates([d], names) else d for d in args.kw_defaults]
    for part in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
        if _evaluates([part.annotation], names):
            part.annotation = None
    if _evaluates([node.returns], names):
        node.returns = None
