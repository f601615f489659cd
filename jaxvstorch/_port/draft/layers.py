"""PyTorch's layers, where a program makes them: in flax, as functions, or as classes of a draft."""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import torch

from jaxvstorch._pairs import source
from jaxvstorch._port.filling import matched
from jaxvstorch._port.folding import TYPE
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.simplifying import parameters, simplified

CONTAINERS = {
    "torch.nn.Sequential": "nnx.Sequential",
    "torch.nn.ModuleList": "nnx.List",
    "torch.nn.ModuleDict": "nnx.Dict",
    "torch.nn.Module": "nnx.Module",
}
# Layers of einops, which JAX's arrays have as functions.
_EINOPS = {
    "einops.layers.torch.Rearrange": ("einops.rearrange", ("pattern",)),
    "einops.layers.torch.Reduce": ("einops.reduce", ("pattern", "reduction")),
}
# How flax's layers tell the settings of PyTorch's.
SETTINGS = {
    "nnx.Dropout": {"p": "{}.rate"},
    "nnx.Embed": {"embedding_dim": "{}.features"},
    "nnx.LayerNorm": {"eps": "{}.epsilon", "normalized_shape": "({}.num_features,)"},
    "nnx.RMSNorm": {"eps": "{}.epsilon", "normalized_shape": "({}.num_features,)"},
}
# Dtypes that are those of a layer anyway.
_NEEDLESS = {"param_dtype": "jnp.float32"}


class NoLayerError(Exception):
    """A layer has no counterpart; says what to do instead."""


def layer(
    name: str,
    node: ast.Call,
    rngs: ast.expr,
    types: Mapping[str, str] = MappingProxyType({}),
    expression: str | None = None,
) -> ast.expr:
    """What a call that makes one of PyTorch's layers becomes.

    Args:
        name: of the layer, such as ``torch.nn.Linear``.
        node: the call, with its arguments in JAX.
        rngs: flax's random numbers there.
        types: of the arguments, by parameter, as far as they are known.
        expression: of a function, in place of the map's.

    Raises:
        NoLayerError: there is no counterpart.
        KeyError: an argument is missing.
        ValueError: the arguments cannot be told apart.
    """
    bare = name.rpartition(".")[2]
    if name in _EINOPS:
        function, names = _EINOPS[name]
        given = [ast.keyword(n, value) for n, value in zip(names, node.args, strict=False)]
        return _call("partial", [_parsed(function)], [*given, *node.keywords])
    if name in CONTAINERS:
        args = node.args
        if bare == "Sequential" and len(args) == 1 and "Dict(" in ast.unparse(args[0]):
            named = ast.Attribute(args[0], "values", ast.Load())
            args = [ast.Starred(ast.Call(named, [], []), ast.Load())]
        return _call(CONTAINERS[name], args or _empty(bare), [])
    if bare in own_classes() and not is_flax(name):
        return _call(written(bare), node.args, [*node.keywords, ast.keyword("rngs", rngs)])
    row = rows().get(name)
    row = row and meaning(row)
    if row is None or row.expression is None or row.called is None:
        raise NoLayerError((row and row.option("instead")) or f"{name} has no counterpart here")
    values, settings = matched(row, node)
    shape = values.get("normalized_shape")
    if bare == "LayerNorm" and isinstance(shape, ast.Tuple | ast.List) and len(shape.elts) > 1:
        words = [*node.keywords, ast.keyword("rngs", rngs)]
        return _call(written("LayerNormOverAxes"), node.args, words)
    for parameter, type_name in types.items():
        if parameter in values:
            setattr(values[parameter], TYPE, type_name)
    if (made := _flax_call(row)) is None:
        return _function(row, simplified(_parsed(expression or row.expression), values, settings))
    new = simplified(made, values | {"rngs": rngs}, settings)
    assert isinstance(new, ast.Call)
    new.keywords = [
        word for word in new.keywords if _NEEDLESS.get(word.arg or "") != ast.unparse(word.value)
    ]
    if (own := base_of(name)) is not None and own in own_classes():
        new.func = _parsed(written(own))
    if name == "torch.nn.Embedding" and types.get("padding_idx", "int") != "NoneType":
        padding = values["padding_idx"]
        if ast.unparse(padding) != "None":
            new.func = _parsed(written("PaddedEmbed"))
            new.keywords.insert(-1, ast.keyword("padding_idx", padding))
    if "BatchNorm" in name and ast.unparse(values["track_running_stats"]) == "False":
        new.keywords.append(ast.keyword("use_running_average", ast.Constant(False)))
    return new


def is_known(name: str) -> bool:
    """Whether the full name of a class of modules is one that ``layer`` can take."""
    return name.startswith("torch.nn.") or name in _EINOPS


def base_of(name: str) -> str | None:
    """The class that stands for one of PyTorch's layers: flax's, or the draft's own."""
    if name in CONTAINERS:
        return CONTAINERS[name]
    bare = name.rpartition(".")[2]
    if bare in own_classes():
        return bare
    row = rows().get(name)
    made = _flax_call(meaning(row)) if row is not None and meaning(row).expression else None
    if made is None:
        return None
    full = ast.unparse(made.func)
    # Where axes are moved around flax's layer, the draft has a class that moves them.
    own = full.removeprefix("nnx.")
    return own if own in own_classes() else full


def written(base: str) -> str:
    """A class as the draft reads it until it is known which names its program leaves."""
    return f"paste.{base}" if base in own_classes() else base


def is_flax(name: str) -> bool:
    """Whether flax has a layer, with other arguments than PyTorch's."""
    row = rows().get(name)
    return row is not None and _flax_call(meaning(row)) is not None


def is_dtype(node: ast.expr, name: str | None) -> bool:
    """Whether an expression, or the full name that it spells, shows that it is a dtype."""
    known = getattr(torch, (name or "").removeprefix("torch."), None)
    return isinstance(known, torch.dtype) or getattr(node, "attr", "") == "dtype"


def is_function(name: str) -> bool:
    """Whether a layer holds no weights and is a function in JAX."""
    row = rows().get(name)
    return bool(row and base_of(name) is None and meaning(row).expression and meaning(row).called)


@cache
def own_classes() -> Mapping[str, str]:
    """The sources of what a draft has where flax's layers differ, by name."""
    files = ("own_layers.py", "own_recurrent.py", "own_training.py", "own_functions.py")
    return {name: source for file in files for name, source in definitions(file).items()}


def definitions(file: str) -> dict[str, str]:
    """The sources of the classes and functions of a file in this folder, by name."""
    text = Path(__file__).parent.joinpath(file).read_text(encoding="utf-8")
    lines = text.splitlines()
    nodes = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    begins = [min(part.lineno for part in (n, *n.decorator_list)) for n in nodes]
    return {
        n.name: "\n".join(lines[begin - 1 : n.end_lineno])
        for n, begin in zip(nodes, begins, strict=True)
    }


def needed_sources(text: str, own: Mapping[str, str]) -> dict[str, str]:
    """The sources, of those by name, that a text needs, and those that they need."""
    needed = set[str]()
    pending = source.names_read(text) & own.keys()
    while pending:
        needed |= pending
        read = set().union(*(source.names_read(own[name]) for name in pending))
        pending = (read & own.keys()) - needed
    return {name: part for name, part in own.items() if name in needed}


def _flax_call(row: Row) -> ast.Call | None:
    """The part of a row's expression that makes flax's layer."""
    for node in ast.walk(_parsed(row.expression or "0")):
        made = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("nnx.")
        if made and any(word.arg == "rngs" for word in node.keywords):  # type: ignore[attr-defined]
            return node  # type: ignore[return-value]
    return None


def _function(row: Row, expression: ast.expr) -> ast.expr:
    """An expression over a layer's inputs as a function of them: as short as it can be written."""
    inputs = row.taken(second=True)
    if any(isinstance(n, ast.Name) and n.id == "w" for n in ast.walk(expression)):
        raise NoLayerError(f"{row.name} has no class here")
    if isinstance(expression, ast.Call):
        count = len(inputs)
        first, rest = expression.args[:count], expression.args[count:]
        names = list(parameters(ast.unparse(expression.func)))[count:]
        further = [ast.keyword(n, v) for n, v in zip(names, rest, strict=False)]
        further += expression.keywords
        plain = [ast.unparse(a) for a in first] == inputs and len(names) >= len(rest)
        if plain and not further:
            return expression.func
        if plain and not _reads(further, inputs):
            return _call("partial", [expression.func], further)
    arguments = ", ".join(inputs)
    function = _parsed(f"lambda {arguments}: 0")
    assert isinstance(function, ast.Lambda)
    function.body = expression
    return function


def _reads(nodes: Sequence[ast.AST], names: Sequence[str]) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id in names for n in nodes for part in ast.walk(n)
    )


def _empty(bare: str) -> list[ast.expr]:
    return [ast.List([], ast.Load())] if bare == "ModuleList" else []


def _call(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
    return ast.Call(_parsed(name), args, keywords)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
