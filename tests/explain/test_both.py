"""``framework="both"``: one function through both compilers, and what is refused."""

import functools
import operator
import subprocess
import sys

import numpy as np
import pytest
from test_imports import WITHOUT

from jaxvstorch import explain
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering.side_by_side import shared_sources

jax = pytest.importorskip("jax", reason="both frameworks are needed; JAX is not installed")
jnp = pytest.importorskip("jax.numpy", reason="both frameworks are needed; JAX is not installed")
torch = pytest.importorskip("torch", reason="both frameworks are needed; PyTorch is not installed")
pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

X = np.float32([3, 4])


def clip(grad, limit=1.0):
    norm = (grad * grad).sum() ** 0.5
    print("norm:", norm)
    if norm > limit:
        grad = grad * (limit / norm)
    return grad


def shifted(x, offsets, flag=True):
    if flag:
        x = x + offsets["a"][0]
    return x * 2


def of_jax(x):
    return jnp.sin(x)


def of_either(x):
    return torch.sin(x) if isinstance(x, torch.Tensor) else jnp.sin(x)


def calls(x):
    return helper(x) + 1


def helper(x):
    print("helper")
    return x * 2


def framework_of(x, framework):
    return x * len(framework)


def generator(x):
    yield x


def marks(explanation) -> list[str]:
    return [str(line.mark) for line in explanation.sources[0].lines]


def test_the_same_lines_with_the_marks_of_each() -> None:
    both = explain(clip, X, framework="both")
    assert [line.text for line in both.jax.sources[0].lines] == [
        line.text for line in both.torch.sources[0].lines
    ]
    assert marks(both.jax) == ["", "traced", "traced", "failed", "not reached", "not reached"]
    assert marks(both.torch) == ["", "graph", "python", "python", "graph", "traced"]
    assert [len(e.programs) for e in both.explanations] == [0, 3]


def test_what_is_printed_is_kept_apart(capsys) -> None:
    both = explain(clip, X, framework="both")
    assert both.printed == {"jax": "norm: JitTracer(float32[])\n", "torch": "norm: tensor(5.)\n"}
    assert capsys.readouterr() == ("", "")


def closes_the_stream(x):
    print("said \ud800", end="")
    sys.stdout.buffer.write(b" and bytes")
    sys.stdout.close()
    return x


def test_what_is_printed_is_kept_whatever_the_function_does_with_the_stream() -> None:
    message = "said \\ud800 and bytes"
    both = explain(closes_the_stream, X, framework="both")
    assert both.printed == {"jax": message, "torch": message}
    assert "`TextIOWrapper`" in str(both.torch)  # as of the reader's own stream
    assert not sys.stdout.closed
    assert both._repr_html_().encode()


def test_each_is_what_explain_says() -> None:
    both = explain(shifted, X, {"a": [X]}, flag=False, framework="both")
    alone = explain(shifted, jnp.asarray(X), {"a": [jnp.asarray(X)]}, flag=False)
    assert both.jax.arguments == ("f32[2]", "{'a': [f32[2]]}", "flag=False")
    assert both.jax.marks() == alone.marks()
    # A Python value stays one: JAX traces a flag, and PyTorch guards on it.
    assert [f.kind for f in both.jax.findings] == ["failed"]
    assert marks(both.torch) == ["", "traced", "not reached", "graph"]


def test_a_scalar_of_numpy_is_an_array() -> None:
    both = explain(operator_free, np.float32(2), framework="both")
    assert [e.arguments for e in both.explanations] == [("f32[]",), ("f32[]",)]


def operator_free(x):
    return x + 1


def test_an_argument_that_is_changed_is_a_copy() -> None:
    x = X.copy()
    explain(doubled_in_place, x, framework="both")
    assert x.tolist() == X.tolist()


def doubled_in_place(x):
    x *= 2
    return x


def test_a_function_that_asks_which_framework_it_is_given() -> None:
    assert [len(e.programs) for e in explain(of_either, X, framework="both").explanations] == [1, 1]


def test_a_partial_and_a_method() -> None:
    both = explain(functools.partial(clip, limit=10.0), X, framework="both")
    assert both.torch.found("break")
    assert len(explain(_Scale(3).apply, X, framework="both").jax.programs) == 1


class _Scale:
    def __init__(self, factor) -> None:
        self.factor = factor

    def apply(self, x):
        return x * self.factor


def test_findings_of_a_function_that_it_calls_are_not_lost() -> None:
    both = explain(calls, X, framework="both")
    assert [f.kind for f in both.jax.findings] == ["impure"]
    for text in (str(both), both._repr_html_()):
        assert "test_both.py, line" in text
        assert "prints only while tracing" in text


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (of_jax, [X], "'of_jax' is written for JAX, but framework='both' needs a function that "
         "names no framework: use only operators and methods, or pass framework='jax' and JAX's"),
        (torch.compile(clip), [X], "'clip' is written for PyTorch"),
        (jax.grad(clip), [X], "'clip' is written for JAX"),
        (torch.nn.Linear(2, 2), [X], "is written for PyTorch"),
        (clip, [torch.ones(2)], "the arguments hold PyTorch's arrays: pass NumPy arrays"),
        (clip, [{"a": [jnp.ones(2)]}], "the arguments hold JAX's arrays: pass NumPy arrays"),
        (clip, [X, iter([1.0])], r"is an iterator \(list_iterator\), .*: pass a list"),
        (clip, [3.0], "no argument holds an array, .*: pass a NumPy array, such as np.float32"),
        (clip, [[3.0, 4.0]], "no argument holds an array"),
        (clip, [np.ones(2)], r"JAX would turn float64 into float32: .*jax.enable_x64\(True\)"),
        (clip, [X, 1, 2], r"clip\(grad, limit=1.0\) does not take these arguments: too many"),
        (generator, [X], "generator is a generator function"),
        (operator.mul, [X, X], "mul has none to show. The lines: the function has no "
         "source in Python that could be read. Call explain once for each framework"),
        (_Scale, [X], "function must not be a class"),
        (3, [X], "function must be callable, not int"),
        (clip, [np.ma.masked_array(X, X > 0)], "an argument is a masked array"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(function, arguments, message) -> None:
    with pytest.raises(TypeError, match=message):
        explain(function, *arguments, framework="both")


def test_an_argument_that_holds_itself() -> None:
    endless: list = [X]
    endless.append(endless)
    with pytest.raises(TypeError, match="an argument holds itself, or is nested too deeply"):
        explain(clip, endless, framework="both")


def test_a_parameter_named_framework_is_given_by_position() -> None:
    assert len(explain(framework_of, X, "both", framework="both").torch.programs) == 1
    bound = functools.partial(framework_of, framework="both")
    assert len(explain(bound, X, framework="both").jax.programs) == 1


def test_other_lines_in_each_are_not_put_beside_each_other() -> None:
    in_jax = Explanation("f", "jax", (), (Source("f", "a.py", 1, (Line(3, "a"),)),), ())
    in_torch = Explanation("f", "torch", (), (Source("g", "a.py", 1, (Line(9, "b"),)),), ())
    message = (
        r"saw different ones: f \(a.py, line 3\), g \(a.py, line 9\). Call explain once for each"
    )
    with pytest.raises(TypeError, match=message):
        shared_sources([in_jax, in_torch])


def test_where_one_has_no_line_its_column_is_empty() -> None:
    source = Source("f", "a.py", 1, (Line(3, "x + 1", Mark.GRAPH, {"A": 1}, 1),))
    in_jax, in_torch = (
        Explanation("f", "jax", (), (source,), ()),
        Explanation("f", "torch", (), (), ()),
    )
    _, empty = shared_sources([in_jax, in_torch])
    assert empty.lines == (Line(3, "x + 1"),)


@pytest.mark.parametrize("missing", ["jax", "torch"])
def test_a_missing_framework_says_how_to_install_it(missing) -> None:
    code = (
        "import numpy as np\nfrom jaxvstorch import MissingFrameworkError, explain\n"
        "try:\n    explain(lambda x: x, np.float32([3]), framework='both')\n"
        "except MissingFrameworkError as error:\n    print(error)"
    )
    command = [sys.executable, "-c", f"{WITHOUT.format(missing=missing)}\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True)
    title = {"jax": "JAX", "torch": "PyTorch"}[missing]
    message = (
        f"explain with framework='both' needs {title}, which is not installed. Install it with `"
    )
    assert done.stdout.startswith(message), done.stderr


def test_it_is_data_too() -> None:
    both = explain(clip, X, framework="both")
    data = both.to_dict()
    assert data["schema"] == {"name": "jaxvstorch-both", "version": 1}
    assert data["jax"] == both.jax.to_dict()
    assert data["printed"] == both.printed
