"""Puts a draft in another style together, from the text of the draft in NNX."""

import ast
import re
from collections.abc import Mapping

from jaxvstorch._port.draft.helpers import bound_in
from jaxvstorch._port.draft.layers import definitions, own_classes
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.equinox import Equinox
from jaxvstorch._port.draft.styles.functions import Functions
from jaxvstorch._port.draft.styles.program import Program


def restyled(
    text: str, main: str, recording: Recording, style: str, lines: Mapping[str, str]
) -> tuple[str, str]:
    """The definitions and the own statements of a draft, in another style.

    Args:
        text: the definitions, in NNX.
        main: the program's own statements, in NNX.
        recording: of the program's run.
        style: the other one.
        lines: of the program, by the text of what each became in NNX.

    Raises:
        CannotWriteError: the style has no words for something.
    """
    tree, statements = ast.parse(text), ast.parse(main).body
    for node in (n for top in (*tree.body, *statements) for n in ast.walk(top)):
        if isinstance(node, ast.stmt):
            node.line = lines.get(ast.unparse(node), "")  # type: ignore[attr-defined]
    try:
        return _restyled(tree, statements, recording, style)
    except CannotWriteError as error:
        for word in [error.text] * (not error.line):
            _find_line(error, word, [*ast.parse(text).body, *ast.parse(main).body], lines)
        raise


def _find_line(
    error: CannotWriteError, word: str, nodes: list[ast.stmt], lines: Mapping[str, str]
) -> None:
    """Find the line of the program whose draft in NNX has a word."""
    every = [n for top in nodes for n in ast.walk(top) if isinstance(n, ast.stmt)]
    texts = [t for t in map(ast.unparse, every) if re.search(rf"\b{re.escape(word)}", t)]
    for text in sorted(texts, key=len):  # the innermost first
        error.line = error.line or lines.get(text, "")


def _restyled(
    tree: ast.Module, statements: list[ast.stmt], recording: Recording, style: str
) -> tuple[str, str]:
    program = Program(ast.Module([*tree.body, *statements], []), recording)
    writer = Equinox(program) if style == "equinox" else Functions(program)
    writer.has_buffers = style == "equinox" and "paste.Buffer(" in ast.unparse(tree)
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
                if style == "equinox":
                    node.decorator_list = [_hashable(d) for d in node.decorator_list]
            body.append(node)
    statements = writer.main(statements)
    renamed = writer.models if isinstance(writer, Functions) else {}
    recording.changed = {
        name: tuple(renamed.get(n, n) for n in effect.changed)
        for name, effect in program.effects.items()
    }
    recording.renamed, recording.functions, recording.state = renamed, {}, []
    if isinstance(writer, Functions):
        recording.functions, recording.state = writer.functions(), writer.state_names()
    parts = "\n\n\n".join(_text(writer.rest(node)) for node in body)
    end = "\n".join(_text(writer.rest(node)) for node in statements)
    whole = _code(f"{parts}\n{end}")
    lacking = set(re.findall(r"\bpaste\.(\w+)", whole)) & own_classes().keys()
    lacking -= layers_of(style).keys()
    left = re.findall(r"\b(?:nnx\.\w+|rngs\b)", whole)
    if style == "functions":  # classes that are left are no modules
        own = [_code(_text(node)) for node in body if not isinstance(node, ast.ClassDef)]
        left += re.findall(r"\bself\.\w+", "\n".join([*own, end]))
    for word in [*left, *(f"paste.{name}" for name in sorted(lacking))]:
        raise CannotWriteError("", word)
    return parts, end


def layers_of(style: str) -> dict[str, str]:
    """The sources of a style's own layers and functions, by name."""
    schedule = definitions("styles/functions_layers.py")["Scheduler"]
    return {"Scheduler": schedule} | definitions(f"styles/{style}_layers.py")


def polished(source: str, recording: Recording) -> str:
    """A draft in functions with the names of its arrays, and its helpers' shorter names."""
    nodes = list(ast.walk(ast.parse(source)))
    taken = bound_in(nodes) | {n.id for n in nodes if isinstance(n, ast.Name)}
    for name in layers_of("functions"):
        bare = name.removesuffix("_")
        if bare != name and name in source and bare not in taken:
            source = re.sub(rf"\b{name}\b", bare, source)
            recording.names[name] = bare
    source = source.replace("name in STATE ", f"name in {tuple(recording.state)!r} ")
    return re.sub(r"(?<=[\[{( =])'(\w+)'(?=[\]:,)])", r'"\1"', source)


def _hashable(decorator: ast.expr) -> ast.expr:
    """``@dataclass`` as one whose objects have a hash: JAX compiles for each that a model keeps."""
    if ast.unparse(decorator) in ("dataclass", "dataclasses.dataclass"):
        hashed = ast.keyword("unsafe_hash", ast.Constant(True))
        return ast.Call(decorator, [], [hashed])
    return decorator


def _require_plain(node: ast.ClassDef) -> None:
    """Refuse classes that keep models: what changes must come in and go out."""
    text = _code(ast.unparse(node))
    if "nnx." in text or "rngs" in text or "train_step" in text:
        error = CannotWriteError("an object that keeps a model or random numbers", node.name)
        error.set_line(node)
        raise error


def _code(text: str) -> str:
    """A text without the statements that stand for comments."""
    return re.sub(r"""^\s*(?:'|"|\"{3})(?:\\x00|TODO: |NOTE: ).*$""", "", text, flags=re.MULTILINE)


def _text(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))
