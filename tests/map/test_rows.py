"""The lines of the map as a whole."""

import ast
import builtins
import dis
from collections.abc import Iterator
from types import CodeType

import pytest

from jaxvstorch._port.map.pasting import folder_of, imports_of, to_paste
from jaxvstorch._port.map.row import FREE, LineError
from jaxvstorch._port.map.rows import Rows, jax_rows, meaning, rows
from jaxvstorch._port.map.verdict import verdicts


def test_there_are_hundreds_of_names() -> None:
    assert len(rows()) >= 400


def test_every_name_is_in_one_group() -> None:
    grouped = [name for names in rows().groups().values() for name in names]
    assert sorted(grouped) == sorted(rows())


def test_every_name_has_a_verdict() -> None:
    missing = {*rows(), *jax_rows()} ^ set(verdicts().names)
    assert not missing, "run `nox -s names`"


def test_every_name_with_a_counterpart_was_tried() -> None:
    recorded = verdicts().names
    untried = [
        name for name, row in rows().items() if meaning(row).expression and not recorded[name].calls
    ]
    assert untried == []


def test_expressions_read_only_what_they_are_given() -> None:
    strange = {
        row.name: unknown
        for row in rows().values()
        if (
            unknown := row.used
            - set(row.parameters)
            - FREE
            - _made_inside(row.expression)
            - BUILT_IN
        )
    }
    assert strange == {}


BUILT_IN = {
    "abs", "bool", "enumerate", "float", "int", "isinstance", "len", "list", "map", "range",
    "slice", "tuple", "type", "zip", "dict", "str", "round", "max", "min", "sum", "None",
    "Ellipsis", "np",
}  # fmt: skip


def _made_inside(expression: str | None) -> set[str]:
    """The names that an expression gives values itself, in a lambda or a comprehension."""
    nodes = list(ast.walk(ast.parse(expression or "0", mode="eval")))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}


def test_pasted_functions_read_only_what_is_pasted_with_them() -> None:
    for row in [*rows().values(), *jax_rows().values()]:
        sources = to_paste(row)
        imports = imports_of(sources, folder_of(row))
        module = compile("\n".join((imports, *sources.values())), row.name, "exec")
        given = {op.argval for op in dis.get_instructions(module) if op.opname == "STORE_NAME"}
        read = {op.argval for op in _instructions(module) if op.opname == "LOAD_GLOBAL"}
        assert read - given - vars(builtins).keys() == set(), row.name


def _instructions(code: CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _instructions(inner)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "# A\ntorch.f(x) => jnp.f(x)\ntorch.f(x) => jnp.g(x)\n",
            r"a.txt:3: .* has a line already",
        ),
        ("# A\nTensor.f = torch.f\n", "which the map does not have"),
        ("# A\n\ntorch.f(x) => jnp.f()\n", r"a.txt:3: torch.f: use or refuse x"),
    ],
)
def test_a_mistake_is_named_with_its_line(lines, message, tmp_path) -> None:
    (tmp_path / "a.txt").write_text(lines)
    with pytest.raises(LineError, match=message):
        [meaning(row) for row in Rows([tmp_path / "a.txt"]).values()]
