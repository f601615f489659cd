"""The ledger counts what the compilers report, call by call."""

import io
from typing import Any

import numpy as np
import pytest
from commented_functions import given
from rich.console import Console

from jaxvstorch import call, explain, ledger
from jaxvstorch._explain.ledger import record
from jaxvstorch._explain.ledger_rows import Call, Compilations, Ledger
from jaxvstorch._explain.shorthand import describe

SHAPES = [np.ones(3, np.float32), np.ones(3, np.float32), np.ones(4, np.float32)]


def test_jax_traces_again_for_a_new_shape_and_a_new_weak_type() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def scaled(x, factor):
        return x * factor

    calls = [(jax.numpy.asarray(x), 2.0) for x in SHAPES]
    calls.append((calls[0][0], jax.numpy.float32(2)))
    book = ledger(jax.jit(scaled), calls)
    assert book.traces == [1, 0, 1, 1]
    assert book.programs == [1, 0, 1, 1]
    assert book.breaks == [0, 0, 0, 0]
    reasons = [row[-1] for row in book.rows()]
    assert reasons[:3] == ["first call", "", "x: f32[3] → f32[4]"]
    assert reasons[3] == "factor: f32[] (weak type) → f32[]"


@pytest.mark.usefixtures("fresh_torch_compile")
def test_torch_counts_breaks_and_what_is_left_after_them() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    def broken(x):
        y = torch.sin(x)
        torch._dynamo.graph_break()
        return y + 1

    calls = [(torch.from_numpy(x),) for x in SHAPES]
    book = ledger(torch.compile(broken, backend="eager"), calls)
    assert book.traces == [2, 0, 2]
    assert book.programs == [2, 0, 2]
    assert book.breaks == [1, 0, 1]
    assert [row[-1] for row in book.rows()] == [
        "first call", "", "x: f32[3] → f32[4], now any size"
    ]  # fmt: skip


def test_calls_with_keyword_arguments() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.ones(3)

    def joined(*parts, axis):
        return jax.numpy.stack(parts, axis)

    book = record(jax.jit(joined, static_argnames="axis"), [((x,) * 12, {"axis": 0})] * 2, "jax")
    assert book.traces == [1, 0]
    # Each argument is shown, however many there are.
    assert book.calls[0].arguments == ", ".join(["f32[3]"] * 12 + ["axis=0"])


def test_a_call_that_raises_is_a_row() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    book = ledger(jax.jit(lambda x: x if x > 0 else -x), [(1.0,)])
    assert book.calls[0].error.startswith("TracerBoolConversionError: ")


def test_a_plain_function_is_compiled_by_its_framework() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def doubled(x):
        return 2 * x

    book = ledger(doubled, [(jax.numpy.asarray(x),) for x in SHAPES])
    assert (book.framework, book.traces, book.in_all) == ("jax", [1, 0, 1], [1, 1, 2])
    assert min(call.seconds for call in book.calls) > 0
    assert book.to_dict()["calls"][2]["compilations"]["programs"] == 1


def test_a_function_that_was_only_explained_is_new_to_the_ledger() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    halved = jax.jit(lambda x: x / 2)
    explain(halved, jax.numpy.ones(3))
    assert ledger(halved, [(jax.numpy.ones(3),)]).rows()[0][-1] == "first call"


def test_what_is_no_call_or_tells_no_framework() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(TypeError, match="whether it uses JAX or PyTorch") as caught:
        ledger(len, [([],)])
    assert "framework='jax'" in str(caught.value)
    assert ledger(len, [([],)], framework="jax").framework == "jax"  # what the error names is there
    with pytest.raises(TypeError, match=r"write \(x,\), with keyword .* call\(x, n=3\)"):
        ledger(jax.jit(lambda x: x), [1.0])
    with pytest.raises(TypeError, match=r"one tuple of arguments per call, .*, not NoneType"):
        ledger(jax.jit(lambda x: x), None)
    with pytest.raises(TypeError, match="function must be callable, not int"):
        ledger(3, [(1,)])
    with pytest.raises(ValueError, match="must be 'jax' or 'torch', not 'tensorflow'"):
        ledger(len, [([],)], framework="tensorflow")


def test_a_framework_that_did_not_compile_the_function() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(TypeError, match="framework='torch' contradicts the function, which jax"):
        ledger(jax.jit(lambda x: x), [(1.0,)], framework="torch")
    with pytest.raises(ValueError, match="must be 'jax' or 'torch', not 'jx'"):
        ledger(jax.jit(lambda x: x), [(1.0,)], framework="jx")


def halved(x):
    while x.max() > 1e-3:
        x = x / 2
    return x


def mean_of_positive(x):
    return x[x > 0].mean()


def in_three(x):
    return x.view(3)


@pytest.mark.parametrize(
    ("framework", "function", "fact", "cure"),
    [
        ("jax", halved, "depends on the value of the argument x", "jax.lax.while_loop"),
        ("jax", mean_of_positive, "got bool[4]", "x.mean(where=mask)"),
        ("torch", in_three, "is invalid for input of size 4", 'Read what follows "got"'),
    ],
)
@pytest.mark.usefixtures("fresh_torch_compile")
def test_an_error_has_the_facts_and_the_cure_that_explain_shows(
    framework, function, fact, cure
) -> None:
    pytest.importorskip(framework)
    (x,) = given(framework, np.arange(4, dtype=np.float32))
    (row,) = ledger(function, [(x,)]).calls
    (finding,) = explain(function, x).found("failed")
    assert (row.error, row.compilations.cures) == (finding.what, (finding.cure,))
    assert fact in row.error
    assert cure in finding.cure


def test_an_error_is_shown_to_its_end_and_with_what_to_do() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def named(x, name):
        return x * len(name)

    x = jax.numpy.ones(3)
    static = ledger(jax.jit(named, static_argnames="name"), [(x, ["b"])]).calls[0]
    assert static.error.endswith("unhashable type: 'list'")
    hint = "; compile it yourself: jax.jit(named, static_argnames=…)"
    assert ledger(named, [(x, "a")]).calls[0].error.endswith(hint)
    assert "compile it yourself" not in ledger(jax.jit(named), [(x, "a")]).calls[0].error


def test_keyword_arguments_are_written_as_the_call_is() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    power = jax.jit(lambda x, n: x**n, static_argnames="n")
    book = ledger(power, [call(1.5, n=3), (1.5, 3), call(n=3, x=1.5)])
    assert [call.arguments for call in book.calls] == ["1.5, n=3", "1.5, 3", "n=3, x=1.5"]
    assert [call.error for call in book.calls] == [None] * 3


def test_containers_that_hold_themselves_or_are_nested_deeply() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    named: dict[str, Any] = {"a": 1}
    named["self"] = named
    assert describe(loop) == "[1, […]]"
    assert describe(named) == "{'a': 1, 'self': {…}}"
    assert describe([named["a"]] * 2) == "[1, 1]"
    deep: Any = ()
    for _ in range(5000):
        deep = (deep,)
    assert "(…)" in describe(deep)


def test_a_list_that_holds_itself_is_an_error_of_its_call_alone() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    loop: list[Any] = []
    loop.append(loop)
    book = ledger(lambda x: x, [(loop,), (1.0,)], framework="jax")
    assert book.calls[0].error is not None  # JAX's own
    assert book.calls[1].error is None
    named = ledger(lambda x: jax.numpy.sin(1.0), [(loop,)])  # told by the function
    assert named.framework == "jax"


LONG = "x: f32[3] → f32[4], and a reason that goes on for longer than a terminal is wide"
ROWS = (
    Call("f32[3], {'weight': f32[128,128], 'bias': f32[128]}", Compilations(1, 1, 0, (LONG,)), 0.5),
)


@pytest.mark.parametrize("width", [80, 100])
def test_a_ledger_fits_a_terminal(width: int) -> None:
    book = Ledger("scores", "jax", ROWS)
    with io.StringIO() as file:
        Console(file=file, width=width).print(book)
        lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines[1].split()) == "arguments traces programs total breaks time why"
    words = " ".join(lines[2:]).split(" ")
    assert {*LONG.split(), "{'weight':", "f32[128,128],"} <= set(words)
    assert repr(book) == str(book)
    assert max(map(len, str(book).splitlines())) <= 100


class BadRepr:
    """A static value that cannot be printed, which JAX tries when it explains a trace."""

    def __repr__(self):
        """Raise."""
        raise ValueError("no repr")


def test_a_static_value_without_a_repr_is_no_failed_call() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    function = jax.jit(lambda x, n: x, static_argnames="n")
    function(1.0, BadRepr())
    book = ledger(function, [(1.0, BadRepr()), (1.0, BadRepr()), (1.0, 2)])
    assert [call.error for call in book.calls] == [None] * 3
    assert book.traces == [1, 1, 1]
    assert book.calls[1].why == "n: another BadRepr; the two compare unequal: no __eq__"


class BadMessageError(Exception):
    """Cannot be printed either."""

    def __str__(self):
        """Raise."""
        raise ValueError


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    class Red:
        def __repr__(self):
            return "\x1b[31mred\x07"

    def raising(x, error):
        raise error

    raising.__name__ = "\x1b[1mname"
    function = jax.jit(raising, static_argnames="error")
    book = ledger(function, [(Red(), ValueError("a\x1b[31mb")), (1.0, BadMessageError())])
    assert "\x1b" not in str(book) + book._repr_html_() + book.calls[0].why
    assert "\x07" not in book.calls[0].arguments
    assert book.calls[1].error == "BadMessageError"
    reasons = ledger(jax.jit(lambda x, n: x, static_argnames="n"), [(1.0, Red()), (1.0, Red())])
    assert "\x1b" not in str(reasons)
