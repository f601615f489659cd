"""What makes either framework trace again."""

import numpy as np
import pytest
from tracing_programs import X, numbers

from jaxvstorch import ledger

FACTOR = 2.0

# One list for both frameworks: what differs from the first call, and the arguments of ``affine``.
AFFINE_CALLS = {
    "nothing: the first call": (X, 2.0, X, False),
    "values": (X + 1, 2.0, X, False),
    "a Python number": (X, 3.0, X, False),
    "another one": (X, 4.0, X, False),
    "an integer": (X, 3, X, False),
    "an array without axes": (X, np.float32(2), X, False),
    "the shape": (numbers(4), 2.0, numbers(4), False),
    "the shape again": (numbers(5), 2.0, numbers(5), False),
    "the dtype": (numbers(3, np.float16), 2.0, numbers(3, np.float16), False),
    "the structure": (X, 2.0, None, False),
    "the static value": (X, 2.0, X, True),
    "nothing": (X, 2.0, X, False),
}


def scaled_by_global(x):
    return FACTOR * x


def test_jax_ledger_of_affine(in_jax) -> None:
    function = in_jax.jit(in_jax.examples.affine, static_argnames="squared")
    book = ledger(function, AFFINE_CALLS.values())
    assert book.traces == [1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_torch_ledger_of_affine(in_torch) -> None:
    from jaxvstorch.frameworks.torch import from_numpy

    calls = [tuple(map(from_numpy, call)) for call in AFFINE_CALLS.values()]
    book = ledger(in_torch.graph(in_torch.examples.affine), calls)
    assert book.traces == [1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_jax_weak_type_is_part_of_the_type(in_jax) -> None:
    calls = [(1.0,), (2.0,), (np.float32(1),), (1,), (True,)]
    book = ledger(in_jax.jit(in_jax.examples.sin_cos), calls)
    assert book.traces == [1, 0, 1, 1, 1]
    assert book.rows()[2][-1].endswith(": f32[] (weak type) → f32[]")


def test_jax_traces_again_in_another_context(in_jax) -> None:
    j, square = in_jax, np.ones((2, 2), np.float32)
    function = j.jit(j.examples.matmul)
    assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with j.jax.default_matmul_precision("float32"):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with j.jax.enable_x64(True):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    assert ledger(function, [(square, square)]).traces == [0]


def test_torch_traces_again_in_another_grad_mode(in_torch) -> None:
    t = in_torch
    function = t.graph(t.examples.sin_cos)
    assert ledger(function, [(t.x,)] * 2).traces == [1, 0]
    with t.torch.no_grad():
        book = ledger(function, [(t.x,)] * 2)
        assert book.traces == [1, 0]
        assert book.rows()[0][-1] == "gradients recorded: on → off"
    assert ledger(function, [(t.x.clone().requires_grad_(),)] * 2).traces == [1, 0]
    assert ledger(function, [(t.x,)]).traces == [0]


def test_torch_traces_again_for_another_memory_layout(in_torch) -> None:
    square = in_torch.torch.ones(2, 2)
    book = ledger(in_torch.graph(in_torch.examples.matmul), [(square, square), (square.T, square)])
    assert book.traces == [1, 1]
    assert book.rows()[1][-1] == "a: strides (2, 1) → (1, 2)"


@pytest.mark.parametrize(("framework", "traces", "answer"), [("jax", 0, 2), ("torch", 1, 5)])
def test_a_global_is_frozen_in_jax_and_guarded_in_torch(
    framework, traces, answer, request, monkeypatch
) -> None:
    if framework == "jax":
        function, x = request.getfixturevalue("in_jax").jit(scaled_by_global), X
    else:
        t = request.getfixturevalue("in_torch")
        function, x = t.graph(scaled_by_global), t.x
    assert ledger(function, [(x,)] * 2).traces == [1, 0]
    monkeypatch.setitem(scaled_by_global.__globals__, "FACTOR", 5.0)
    assert ledger(function, [(x,)]).traces == [traces]
    np.testing.assert_array_equal(np.asarray(function(x)), answer * X)


def test_jax_traces_again_for_another_container(in_jax) -> None:
    calls = [([X, X],), ((X, X),), ([X],), ([X, X],)]
    assert ledger(in_jax.jit(lambda arrays: sum(arrays)), calls).traces == [1, 1, 1, 0]


def test_torch_traces_again_for_another_container(in_torch) -> None:
    x = in_torch.x
    calls = [([x, x],), ((x, x),), ([x],), ([x, x],)]
    assert ledger(in_torch.graph(lambda arrays: sum(arrays)), calls).traces == [1, 1, 1, 0]


def test_a_second_wrapper_of_the_same_function_finds_what_the_first_made(in_jax) -> None:
    first, second = (in_jax.jit(in_jax.examples.sin_cos) for _ in range(2))
    assert ledger(first, [(X,)]).traces == [1]
    assert ledger(second, [(X,)]).traces == [0]


def test_a_second_compile_of_the_same_function_finds_what_the_first_made(in_torch) -> None:
    first, second = (in_torch.graph(in_torch.examples.sin_cos) for _ in range(2))
    assert ledger(first, [(in_torch.x,)]).traces == [1]
    assert ledger(second, [(in_torch.x,)]).traces == [0]
