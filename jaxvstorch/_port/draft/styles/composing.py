"""Puts a draft in another style together, from the text of the draft in NNX."""

import ast
import re

from jaxvstorch._port.draft.layers import definitions, own_classes
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.equinox import Equinox
from jaxvstorch._port.draft.styles.program import Program


def restyled(text: str, main: str, recording: Recording) -> tuple[str, str]:
    """The definitions and the own statements of a draft, in Equinox.

    Args:
        text: the definitions, in NNX.
        main: the program's own statements, in NNX.
        recording: of the program's run.

    Raises:
        CannotWriteError: Equinox has no words for something.
    """
    tree, statements = ast.parse(text), ast.parse(main).body
    program = Program(ast.Module([*tree.body, *statements], []), recording)
    writer = Equinox(program)
    writer.has_buffers = "paste.Buffer(" in text
    body = list[ast.stmt]()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in program.classes:
            new = writer.module(node)
            body += new if isinstance(new, list) else [new]
        elif isinstance(node, ast.FunctionDef):
            body.append(writer.function(node))
        else:
            if isinstance(node, ast.ClassDef):
                _require_plain(node)
                node.decorator_list = [_hashable(d) for d in node.decorator_list]
            body.append(node)
    statements = writer.main(statements)
    recording.changed = {name: effect.changed for name, effect in program.effects.items()}
    parts = "\n\n\n".join(_text(writer.rest(node)) for node in body)
    end = "\n".join(_text(writer.rest(node)) for node in statements)
    whole = f"{parts}\n{end}"
    lacking = set(re.findall(r"\bpaste\.(\w+)", whole)) & own_classes().keys()
    lacking -= definitions("styles/equinox_layers.py").keys()
    for word in [*re.findall(r"\b(?:nnx\.\w+|rngs\b)", whole), *sorted(lacking)]:
        raise CannotWriteError(f"`{word}` of the draft in NNX")
    return parts, end


def _hashable(decorator: ast.expr) -> ast.expr:
    """``@dataclass`` as one whose objects have a hash: JAX compiles for each that a model keeps."""
    if ast.unparse(decorator) in ("dataclass", "dataclasses.dataclass"):
        hashed = ast.keyword("unsafe_hash", ast.Constant(True))
        return ast.Call(decorator, [], [hashed])
    return decorator


def _require_plain(node: ast.ClassDef) -> None:
    """Refuse classes that keep models: what changes must come in and go out."""
    text = ast.unparse(node)
    if "nnx." in text or "rngs" in text or "train_step" in text:
        raise CannotWriteError(f"{node.name}, an object that keeps a model or random numbers")


def _text(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))
