"""What makes a timing wrong, where something other than a clock shows it."""

import numpy as np

from jaxvstorch import explain


def compiled_text(jax, function, *arguments) -> str:
    return jax.jit(function).lower(*arguments).compile().as_text()


def test_xla_computes_with_a_captured_array_while_it_compiles(jax, in_jax) -> None:
    x = jax.numpy.linspace(0, 1, 1_000)
    assert " sine(" in compiled_text(jax, in_jax.sin_and_cos, x)
    for captured in (x, np.asarray(x)):
        text = compiled_text(jax, lambda captured=captured: in_jax.sin_and_cos(captured))
        assert " sine(" not in text
        assert " cosine(" not in text


def test_torch_makes_a_captured_tensor_an_input(torch, in_torch) -> None:
    x = torch.linspace(0, 1, 1_000)
    (program,) = explain(lambda: in_torch.sin_and_cos(x)).programs
    assert ": torch.Tensor" in program.text.splitlines()[0]
    assert program.text.count("torch.sin(") == 1


def test_a_second_jit_of_a_function_compiles_nothing(jax, in_jax, compiled_by_jax) -> None:
    x = np.ones(11, np.float32)
    compiled_by_jax.clear()
    for _ in range(3):
        jax.jit(in_jax.selu)(x)
    assert compiled_by_jax == ["jit(selu)"]
    jax.clear_caches()
    jax.jit(in_jax.selu)(x)
    assert compiled_by_jax == ["jit(selu)"] * 2


def test_a_second_torch_compile_of_a_function_compiles_nothing(torch, in_torch) -> None:
    compiled = []

    def backend(graph, inputs):
        compiled.append(graph)
        return graph.forward

    for _ in range(3):
        torch.compile(in_torch.selu, backend=backend)(torch.ones(3))
    assert len(compiled) == 1


def test_a_donated_argument_holds_the_result(jax, in_jax) -> None:
    x = jax.numpy.ones(1_000)
    pointer = x.unsafe_buffer_pointer()
    assert jax.jit(in_jax.gelu)(x).unsafe_buffer_pointer() != pointer
    result = jax.jit(in_jax.gelu, donate_argnums=0)(x)
    assert result.unsafe_buffer_pointer() == pointer


def test_eager_jax_compiles_each_operation_and_jit_the_whole(jax, in_jax, compiled_by_jax) -> None:
    x = np.ones(13, np.float32)
    in_jax.gelu(jax.numpy.asarray(x))
    operations = {name for name in compiled_by_jax if "broadcast" not in name}
    assert len(operations) >= 4  # of its five, two are products
    jax.clear_caches()
    compiled_by_jax.clear()
    jax.jit(in_jax.gelu)(x)
    assert compiled_by_jax == ["jit(gelu)"]
