"""The ledger counts what the compilers report, call by call."""

import numpy as np
import pytest

from jaxvstorch import explain, ledger
from jaxvstorch.explainer.calls import record

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
    assert reasons[:3] == ["first call", "", "at x, now f32[4] and before f32[3]"]
    assert "weak_type=False" in reasons[3]


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
    assert "size mismatch at index 0. expected 3, actual 4" in book.rows()[2][-1]


def test_calls_with_keyword_arguments() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.ones(3)

    def joined(*parts, axis):
        return jax.numpy.stack(parts, axis)

    book = record(jax.jit(joined, static_argnames="axis"), [((x,) * 12, {"axis": 0})] * 2, "jax")
    assert book.traces == [1, 0]
    # However many arguments there are, each is told.
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
    assert book.calls[0].seconds > book.calls[1].seconds > 0
    assert book.to_dict()["calls"][2]["compilations"]["programs"] == 1


def test_a_function_that_was_only_explained_is_new_to_the_ledger() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    halved = jax.jit(lambda x: x / 2)
    explain(halved, jax.numpy.ones(3))
    assert ledger(halved, [(jax.numpy.ones(3),)]).rows()[0][-1] == "first call"


def test_what_is_no_call_or_tells_no_framework() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(TypeError, match="of JAX or of PyTorch cannot be told"):
        ledger(len, [([],)])
    with pytest.raises(TypeError, match=r"write \(x,\)"):
        ledger(jax.jit(lambda x: x), [1.0])
