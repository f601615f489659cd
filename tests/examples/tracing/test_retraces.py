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


def test_jax_ledger_of_affine(jax, in_jax) -> None:
    function = jax.jit(in_jax.affine, static_argnames="squared")
    book = ledger(function, AFFINE_CALLS.values())
    assert book.traces == [1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_torch_ledger_of_affine(torch, in_torch) -> None:
    from jaxvstorch.frameworks.torch import from_numpy

    calls = [tuple(map(from_numpy, call)) for call in AFFINE_CALLS.values()]
    book = ledger(torch.compile(in_torch.affine, backend="eager"), calls)
    assert book.traces == [1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_jax_weak_type_is_part_of_the_type(jax, in_jax) -> None:
    calls = [(1.0,), (2.0,), (np.float32(1),), (1,), (True,)]
    book = ledger(jax.jit(in_jax.sin_cos), calls)
    assert book.traces == [1, 0, 1, 1, 1]
    assert book.rows()[2][-1].endswith(": f32[] (weak type) → f32[]")


def test_jax_traces_again_in_another_context(jax, in_jax) -> None:
    square = np.ones((2, 2), np.float32)
    function = jax.jit(in_jax.matmul)
    assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with jax.default_matmul_precision("float32"):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with jax.enable_x64(True):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    assert ledger(function, [(square, square)]).traces == [0]


def test_torch_traces_again_in_another_grad_mode(torch, in_torch) -> None:
    x = torch.tensor(X)
    function = torch.compile(in_torch.sin_cos, backend="eager")
    assert ledger(function, [(x,)] * 2).traces == [1, 0]
    with torch.no_grad():
        book = ledger(function, [(x,)] * 2)
        assert book.traces == [1, 0]
        assert book.rows()[0][-1] == "gradients recorded: on → off"
    assert ledger(function, [(x.clone().requires_grad_(),)] * 2).traces == [1, 0]
    assert ledger(function, [(x,)]).traces == [0]


def test_torch_traces_again_for_another_memory_layout(torch, in_torch) -> None:
    square = torch.ones(2, 2)
    function = torch.compile(in_torch.matmul, backend="eager")
    book = ledger(function, [(square, square), (square.T, square)])
    assert book.traces == [1, 1]
    assert book.rows()[1][-1] == "a: strides (2, 1) → (1, 2)"


@pytest.mark.parametrize(("framework", "traces", "answer"), [("jax", 0, 2), ("torch", 1, 5)])
def test_a_global_is_frozen_in_jax_and_guarded_in_torch(
    torch, framework, traces, answer, request, monkeypatch
) -> None:
    if framework == "jax":
        function, x = request.getfixturevalue("jax").jit(scaled_by_global), X
    else:
        torch = request.getfixturevalue("torch")
        function, x = torch.compile(scaled_by_global, backend="eager"), torch.tensor(X)
    assert ledger(function, [(x,)] * 2).traces == [1, 0]
    monkeypatch.setitem(scaled_by_global.__globals__, "FACTOR", 5.0)
    assert ledger(function, [(x,)]).traces == [traces]
    np.testing.assert_array_equal(np.asarray(function(x)), answer * X)


def test_jax_traces_again_for_another_container(jax) -> None:
    calls = [([X, X],), ((X, X),), ([X],), ([X, X],)]
    assert ledger(jax.jit(lambda arrays: sum(arrays)), calls).traces == [1, 1, 1, 0]


def test_torch_traces_again_for_another_container(torch) -> None:
    x = torch.tensor(X)
    calls = [([x, x],), ((x, x),), ([x],), ([x, x],)]
    assert ledger(torch.compile(lambda arrays: sum(arrays), backend="eager"), calls).traces == [
        1,
        1,
        1,
        0,
    ]


def test_a_second_wrapper_of_the_same_function_finds_what_the_first_made(jax, in_jax) -> None:
    first, second = (jax.jit(in_jax.sin_cos) for _ in range(2))
    assert ledger(first, [(X,)]).traces == [1]
    assert ledger(second, [(X,)]).traces == [0]


def test_a_second_compile_of_the_same_function_finds_what_the_first_made(torch, in_torch) -> None:
    x = torch.tensor(X)
    first, second = (torch.compile(in_torch.sin_cos, backend="eager") for _ in range(2))
    assert ledger(first, [(x,)]).traces == [1]
    assert ledger(second, [(x,)]).traces == [0]


def test_jax_keeps_the_mark_of_a_python_number_and_torch_does_not(jax, torch) -> None:
    jnp = jax.numpy
    in_jax = jnp.ones(1, jnp.int8) + 2.5 + jnp.ones(1, jnp.float16)
    in_torch = torch.ones(1, dtype=torch.int8) + 2.5 + torch.ones(1, dtype=torch.float16)
    assert (in_jax.dtype, in_torch.dtype) == (jnp.float16, torch.float32)


def test_a_tracer_of_grad_decides_an_if_and_is_no_float(jax) -> None:
    assert jax.grad(lambda x: 2 * x if x > 0 else x)(1.0) == 2
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.grad(lambda x: x * float(x))(1.0)
