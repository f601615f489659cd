"""A large intermediate, whole and in chunks."""

import functools

import pytest
from memory_counts import allocated, gradient, shapes, temporary, torch_gradient
from needs import needs_compiler

N = 512
SQUARE = 4 * N * N  # bytes of an n by n intermediate
ROWS = {"kernel_means": [(N,)], "attention": [(N, 16)] * 3}


both = pytest.mark.parametrize(
    ("full", "chunked", "name"),
    [
        ("kernel_means", "kernel_means_chunked", "kernel_means"),
        ("attention_full", "attention_chunked", "attention"),
    ],
)


@both
def test_jax_needs_less_than_the_whole_for_value_and_gradient(
    jax, in_jax, full, chunked, name
) -> None:
    arguments = shapes(jax, *ROWS[name])
    for wrap in (lambda function: function, lambda f: gradient(jax, f, len(arguments))):
        whole, part = (
            temporary(jax, wrap(getattr(in_jax, half)), *arguments) for half in (full, chunked)
        )
        assert part < 0.7 * whole or part < SQUARE / 20


@both
def test_torch_allocates_less_at_once_for_value_and_gradient(
    torch, in_torch, full, chunked, name
) -> None:
    tensors = [torch.rand(shape) for shape in ROWS[name]]
    halves = getattr(in_torch, full), getattr(in_torch, chunked)
    whole, part = (allocated(torch, half, *tensors)[0] for half in halves)
    assert whole >= 2 * SQUARE
    assert part < 0.6 * whole
    whole, part = (allocated(torch, torch_gradient(torch, half, *tensors))[0] for half in halves)
    assert part < 0.6 * whole


def test_xla_makes_no_square_of_kernel_means_but_its_gradient_does(jax, in_jax) -> None:
    x = shapes(jax, (N,))
    assert temporary(jax, in_jax.kernel_means, *x) < SQUARE / 20
    assert temporary(jax, gradient(jax, in_jax.kernel_means, 1), *x) >= SQUARE


@needs_compiler
def test_inductor_makes_no_square_of_kernel_means(torch, in_torch) -> None:
    compiled, x = torch.compile(in_torch.kernel_means), torch.rand(N)
    compiled(x)
    assert allocated(torch, compiled, x) == (4 * N, 4 * N)


@needs_compiler
def test_inductor_mixes_the_chunks_unless_each_is_compiled_alone(torch, in_torch) -> None:
    x = torch.rand(N, requires_grad=True)
    part = torch.compile(in_torch._kernel_means_at)
    again = functools.partial(torch.utils.checkpoint.checkpoint, part, use_reentrant=False)
    whole = torch.compile(in_torch.kernel_means_chunked)

    def most(function):
        def run():
            return torch.autograd.grad(function(x).sum(), x)

        run()
        return allocated(torch, run)[0]

    assert most(whole) >= SQUARE
    assert most(lambda x: torch.cat([again(rows, x) for rows in x.chunk(4)])) < SQUARE / 2


def test_without_a_checkpoint_chunks_make_the_gradient_of_jax_need_more(jax, in_jax) -> None:
    def no_checkpoint(x):
        return jax.lax.map(lambda part: in_jax._kernel_means_at(part, x), x.reshape(4, -1)).ravel()

    x = shapes(jax, (N,))
    whole, kept, again = (
        temporary(jax, gradient(jax, function, 1), *x)
        for function in (in_jax.kernel_means, no_checkpoint, in_jax.kernel_means_chunked)
    )
    assert kept > 1.5 * whole
    assert again < whole / 2


def test_a_python_loop_over_chunks_saves_nothing_in_jax_0_10_on_a_cpu(jax, in_jax) -> None:
    if jax.default_backend() != "cpu" or jax.__version_info__ >= (0, 11):
        pytest.skip("seen with JAX 0.10 on a CPU")

    def looped(hidden, table, labels):
        parts = zip(hidden.reshape(4, -1, 16), labels.reshape(4, -1), strict=True)
        losses = [in_jax.cross_entropy_full(part, table, wanted) for part, wanted in parts]
        return jax.numpy.stack(losses).mean()

    arguments = *shapes(jax, (N, 16), (16, N)), jax.ShapeDtypeStruct((N,), jax.numpy.int32)
    functions = looped, in_jax.cross_entropy_full, in_jax.cross_entropy_chunked
    loop, whole, mapped = (temporary(jax, function, *arguments) for function in functions)
    assert loop > 0.95 * whole
    assert mapped < 0.4 * whole


def test_the_chunked_loss_needs_a_fraction_of_the_logits(jax, torch, in_jax, in_torch) -> None:
    arguments = *shapes(jax, (N, 16), (16, N)), jax.ShapeDtypeStruct((N,), jax.numpy.int32)
    halves = in_jax.cross_entropy_full, in_jax.cross_entropy_chunked
    whole, part = (temporary(jax, gradient(jax, half, 2), *arguments) for half in halves)
    assert whole >= 2 * SQUARE
    assert part < 0.4 * whole
    hidden, table = torch.rand(N, 16), torch.rand(16, N)
    labels = torch.arange(N, dtype=torch.int32)
    whole, part = (
        allocated(torch, torch_gradient(torch, lambda h, t, f=f: f(h, t, labels), hidden, table))[0]
        for f in (in_torch.cross_entropy_full, in_torch.cross_entropy_chunked)
    )
    assert whole >= 3 * SQUARE
    assert part < 0.4 * whole


def test_torch_s_own_attention_makes_no_square(torch, in_torch) -> None:
    q, k, v = (torch.rand(1, 1, 1024, 16) for _ in range(3))
    own = torch.nn.functional.scaled_dot_product_attention
    most, _ = allocated(torch, own, q, k, v)
    assert most < 4 * 1024 * 1024 / 2
    full, _ = allocated(torch, in_torch.attention_full, *(x[0, 0] for x in (q, k, v)))
    assert full >= 2 * 4 * 1024 * 1024


def test_jax_s_own_attention_makes_the_square_on_a_cpu(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("the sentence is for a CPU")
    own = jax.nn.dot_product_attention
    assert temporary(jax, own, *shapes(jax, *[(N, 1, 16)] * 3)) >= SQUARE


def test_parts_of_a_batch_need_a_fraction_of_it(jax, torch, in_jax, in_torch) -> None:
    arrays = (16, 256), (1024, 16), (1024, 256)
    whole, part = (
        temporary(jax, function, *shapes(jax, *arrays))
        for function in (jax.grad(in_jax._loss), in_jax.accumulated_gradient)
    )
    assert part < 0.4 * whole
    tensors = [torch.rand(shape) for shape in arrays]
    whole, part = (
        allocated(torch, function, *tensors)[0]
        for function in (torch.func.grad(in_torch._loss), in_torch.accumulated_gradient)
    )
    assert part < 0.4 * whole


def test_parts_of_two_sizes_are_an_error_or_right(jax, torch, in_jax, in_torch) -> None:
    hidden, table = torch.rand(7, 4), torch.rand(4, 5)
    labels = torch.arange(7, dtype=torch.int32) % 5
    halves = in_torch.cross_entropy_full, in_torch.cross_entropy_chunked
    torch.testing.assert_close(*(half(hidden, table, labels) for half in halves))
    batch = [(4, 2), (7, 4), (7, 2)]
    with pytest.raises(RuntimeError, match="is invalid for input of size"):
        in_torch.accumulated_gradient(*map(torch.ones, batch))
    with pytest.raises(TypeError, match="cannot reshape"):
        in_jax.accumulated_gradient(*map(jax.numpy.ones, batch))
