"""``%load_ext jaxvstorch``: the cell magic ``%%explain``, for the call on a cell's last line."""

import ast
import re
from typing import Any

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython

from jaxvstorch._explain.both import BothExplanations
from jaxvstorch._explain.explain import explain
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._frameworks.importing import BrokenInstallError, MissingFrameworkError

_OPTION = re.compile(r"\s*--(?:(?P<stages>stages)|framework[= ]\s*(?P<framework>\w+))(?=\s|$)")
_EXPECTED = (
    "expected %%explain [--framework jax|torch|both] [--stages], and a call such as f(x) on the "
    "cell's last line; or, where the cell ends with a function, its arguments after the options"
)
_TAKE_APART = "lambda *args, **kwargs: (args, kwargs)"


def explain_cell(line: str, cell: str) -> Explanation | BothExplanations:
    """Run a cell up to its last line, and explain the call on that line instead of making it.

    %%explain [--framework jax|torch|both] [--stages] [ARGUMENTS]

    Where the cell ends with a function, the call is this function with ARGUMENTS: %%explain x, n=3.
    """
    __tracebackhide__ = True
    shell = get_ipython()
    options, arguments = _options(line)
    source = shell.transform_cell(cell)
    name = shell.compile.cache(source, shell.execution_count, raw_code=cell)
    try:
        before, call = _split(ast.parse(source), arguments)
        run, take = shell.compile(before, name, "exec"), shell.compile(call, name, "eval")
    except SyntaxError as error:
        raise UsageError(f"%%explain: line {error.lineno} is not Python: {error.msg}") from None
    exec(run, shell.user_ns)
    (function, *args), kwargs = eval(take, shell.user_ns)
    try:
        explanation: Explanation | BothExplanations = explain(
            function, *args, **kwargs | options["explain"]
        )
    except (BrokenInstallError, MissingFrameworkError, TypeError, ValueError) as error:
        raise UsageError(f"%%explain: {error}") from None
    if not options["stages"]:
        return explanation
    if isinstance(explanation, BothExplanations):
        raise UsageError("%%explain: --stages works with one framework, not both")
    return explanation.with_stages()


def _options(line: str) -> tuple[dict[str, Any], str]:
    """The options, and what follows them."""
    options: dict[str, Any] = {"stages": False, "explain": {}}
    while match := _OPTION.match(line):
        line = line[match.end() :]
        if match["stages"]:
            options["stages"] = True
        else:
            options["explain"]["framework"] = match["framework"]
    if line.strip().startswith("--"):
        raise UsageError(f"%%explain: {line.strip()} is not an option: {_EXPECTED}")
    return options, line.strip()


def _split(cell: ast.Module, arguments: str) -> tuple[ast.Module, ast.Expression]:
    """What runs before the call, and an expression for its function and arguments."""
    *before, last = cell.body or [ast.Pass()]
    if arguments and isinstance(last, ast.FunctionDef):
        before, call = cell.body, _call_of(last.name, arguments)
    elif arguments:
        raise UsageError(f"%%explain: {arguments} is where options belong: {_EXPECTED}")
    elif isinstance(last, ast.Expr | ast.Assign) and isinstance(last.value, ast.Call):
        call = last.value
    else:
        raise UsageError(f"%%explain: there is no call on the last line: {_EXPECTED}")
    taken = ast.parse(_TAKE_APART, mode="eval").body
    parts = ast.Call(taken, [call.func, *call.args], call.keywords)
    expression = ast.fix_missing_locations(ast.Expression(parts))
    return ast.Module(before, cell.type_ignores), expression


def _call_of(name: str, arguments: str) -> ast.Call:
    try:
        call = ast.parse(f"{name}({arguments})", mode="eval").body
    except SyntaxError as error:
        raise UsageError(f"%%explain: {arguments} are not arguments: {error.msg}") from None
    assert isinstance(call, ast.Call)
    return call
