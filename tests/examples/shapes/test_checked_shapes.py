"""Signatures of jaxtyping, checked by beartype: at each call, and by compiled functions."""

import numpy as np
import pytest
from beartype import beartype
from jaxtyping import TypeCheckError, jaxtyped

from jaxvstorch.frameworks import adapter

X, W = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)


def checked(function):
    return jaxtyped(function, typechecker=beartype)


def test_sizes_with_one_name_must_agree(half, framework) -> None:
    x, w, fewer, whole = map(adapter(framework).from_numpy, (X, W, W[:2], X.astype(np.int32)))
    project = checked(half.project)
    assert tuple(project(x, w).shape) == (2, 4)
    with pytest.raises(TypeCheckError, match=r"batch=2\ninputs=3"):
        project(x, fewer)
    with pytest.raises(TypeCheckError, match="parameter 'x'"):
        project(whole, w)


def test_it_refuses_what_broadcasting_would_let_pass(jax) -> None:
    from jax import Array
    from jaxtyping import Float

    def add(x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, " n"]:
        return x + y

    x, y = jax.numpy.ones(3), jax.numpy.ones(1)
    assert add(x, y).shape == (3,)
    with pytest.raises(TypeCheckError, match="parameter 'y'"):
        checked(add)(x, y)


def test_under_jit_shapes_are_checked_while_it_traces(jax, in_jax) -> None:
    seen = []

    def project(*arguments):
        seen.append(1)
        return checked(in_jax.project)(*arguments)

    compiled = jax.jit(project)
    for _ in range(3):
        compiled(X, W)
    assert len(seen) == 1
    with pytest.raises(TypeCheckError, match="parameter 'weights'"):
        compiled(X, W[:2])


def test_under_vmap_the_shapes_are_those_of_one_example(jax, in_jax) -> None:
    project = jax.vmap(checked(in_jax.project), in_axes=(0, None))
    x, w = jax.numpy.asarray([X, X]), jax.numpy.asarray(W)
    assert project(x, w).shape == (2, 2, 4)


def test_a_symbolic_size_is_checked_too(jax, in_jax) -> None:
    from jax import export

    (n,) = export.symbolic_shape("n")
    shapes = [jax.ShapeDtypeStruct(shape, "float32") for shape in ((n, 3), (3, 4))]
    program = export.export(jax.jit(checked(in_jax.project)))(*shapes)
    assert str(program.out_avals[0]) == "float32[n,4]"
    shapes = [jax.ShapeDtypeStruct(shape, "float32") for shape in ((2, n), (3, 4))]
    with pytest.raises(TypeCheckError, match="parameter 'weights'"):
        export.export(jax.jit(checked(in_jax.project)))(*shapes)


def test_torch_compile_of_a_checked_function_refuses_right_arguments(torch, in_torch) -> None:
    x, w = torch.tensor(X), torch.tensor(W)
    project = checked(in_torch.project)
    project(x, w)
    with pytest.raises(TypeCheckError, match="parameter 'x'"):
        torch.compile(project, backend="eager")(x, w)
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(project, backend="eager", fullgraph=True)(x, w)


def test_dynamo_answers_isinstance_of_an_annotation_with_false(torch) -> None:
    from jaxtyping import Float

    def is_vector(x):
        return x + isinstance(x, Float[torch.Tensor, " n"])

    assert is_vector(torch.zeros(1)) == 1
    assert torch.compile(is_vector, backend="eager", fullgraph=True)(torch.zeros(1)) == 0


def test_torch_compile_inside_the_check_is_checked_at_each_call(torch, in_torch) -> None:
    from jaxtyping import Float
    from torch import Tensor

    compiled = torch.compile(in_torch.project, backend="eager", fullgraph=True)

    def project(
        x: Float[Tensor, "batch inputs"], weights: Float[Tensor, "inputs outputs"]
    ) -> Float[Tensor, "batch outputs"]:
        return compiled(x, weights)

    x, w = torch.tensor(X), torch.tensor(W)
    for function in (checked(project), checked(compiled)):
        assert function(x, w).shape == (2, 4)
        with pytest.raises(TypeCheckError, match="parameter 'weights'"):
            function(x, w[:2])


def test_a_check_that_is_turned_off_compiles(torch, in_torch) -> None:
    from jaxtyping import config

    config.update("jaxtyping_disable", True)
    try:
        project = torch.compile(checked(in_torch.project), backend="eager", fullgraph=True)
        assert project(torch.tensor(X), torch.tensor(W)).shape == (2, 4)
    finally:
        config.update("jaxtyping_disable", False)
