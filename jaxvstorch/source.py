"""The source of an example function, read from its file: no framework is imported."""

import ast
from pathlib import Path

import jaxvstorch

_EXAMPLES = Path(jaxvstorch.__file__).parent / "examples"


def path(topic: str, framework: str) -> Path:
    """The file of one half of a topic."""
    return _EXAMPLES / topic / f"{framework}.py"


def summary(topic: str) -> str:
    """What a topic is about: the first line of its docstring."""
    text = (_EXAMPLES / topic / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def names(topic: str, framework: str) -> list[str]:
    """The public functions of one half, in the order of the file."""
    tree = ast.parse(path(topic, framework).read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def definition(topic: str, framework: str, name: str) -> str:
    """The source of a function or a constant, decorators included, without a trailing newline.

    A call that stands by itself goes by what it calls: ``square.defvjp``.

    Raises:
        LookupError: that half defines no such name.
    """
    text = path(topic, framework).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if name in _defined(node):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise LookupError(f"{path(topic, framework)} defines no {name!r}")


def _defined(node: ast.stmt) -> list[str]:
    """The names that a statement of a module gives to functions, classes or constants."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.unparse(node.value.func)]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
