"""The same seed: compiled or not, in another process, with another dtype or size."""

import subprocess
import sys

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch.registry import pairs_of

DRAWS = {  # JAX's, each a function of a key
    "uniform": lambda random, key: random.uniform(key, (5,)),
    "normal": lambda random, key: random.normal(key, (5,)),
    "categorical": lambda random, key: random.categorical(key, np.zeros(3), shape=(5,)),
    "permutation": lambda random, key: random.permutation(key, 5),
    "choice": lambda random, key: random.choice(key, 5, (3,), replace=False),
    "bernoulli": lambda random, key: random.bernoulli(key, 0.3, (5,)),
}
SCRIPTS = {
    "jax": "import jax; print(jax.random.uniform(jax.random.key(3), 4).tolist())",
    "torch": "import torch; torch.manual_seed(3); print(torch.rand(4).tolist())",
}


@pytest.mark.parametrize("name", DRAWS)
def test_jax_draws_the_same_with_jit_and_under_vmap(jax, name) -> None:
    def draw(key):
        return DRAWS[name](jax.random, key)

    keys = jax.random.split(jax.random.key(0), 3)
    loop = np.stack([draw(key) for key in keys])
    assert np.array_equal(jax.jit(draw)(keys[0]), loop[0])
    assert np.array_equal(jax.vmap(draw)(keys), loop)


@pytest.mark.parametrize("name", ["dropout", "estimate_pi", "noisy_batch"])
def test_both_draw_the_same_for_a_seed_and_other_numbers_for_another(framework, name) -> None:
    (pair,) = (pair for pair in pairs_of("randomness") if pair.name == name)
    arguments = pair.make_inputs(64)
    place = next(i for i, value in enumerate(arguments) if type(value) is int)

    def draw(seed):
        new = (*arguments[:place], seed, *arguments[place + 1 :])
        return np.asarray(pair.half(framework)(*pair.to_framework(framework, new)))

    assert np.array_equal(draw(1), draw(1))
    assert not np.array_equal(draw(1), draw(2))


@pytest.mark.parametrize("name", ["dropout", "estimate_pi", "noisy_batch"])
def test_the_halves_draw_compiled_what_they_draw_otherwise(framework, name) -> None:
    (pair,) = (pair for pair in pairs_of("randomness") if pair.name == name)
    arguments = pair.to_framework(framework, pair.make_inputs(64))
    plain = np.asarray(pair.half(framework)(*arguments))
    # The same bits; what XLA makes of the arithmetic after them may round otherwise.
    np.testing.assert_allclose(compiled(framework, pair)(*arguments), plain, rtol=1e-5)


def compiled(framework, pair):
    """``torch.compile`` without Inductor, which draws other numbers."""
    if framework == "torch":
        import torch

        return torch.compile(pair.half("torch"), backend="aot_eager")
    import jax

    return jax.jit(pair.half("jax"), static_argnames=pair.static)


@pytest.mark.parametrize("name", SCRIPTS)
def test_another_process_draws_the_same(name) -> None:
    pytest.importorskip(name)
    runs = [subprocess.run([sys.executable, "-c", SCRIPTS[name]], stdout=-1) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count(b",") == 3


def of_inductor(torch):
    """What Inductor draws by its own generator."""
    half = torch.full((64,), 0.5)
    numbers = torch.rand(64), torch.randn(64), torch.randint(1000, (64,))
    return *numbers, torch.bernoulli(half), torch.nn.functional.dropout(half)


OF_TORCH = {  # what Inductor has PyTorch draw
    "randperm": lambda torch: (torch.randperm(64),),
    "normal": lambda torch: (torch.normal(torch.ones(64), 1.0),),
    "multinomial": lambda torch: (torch.multinomial(torch.ones(64), 64),),
}


def two_of_torch(torch):
    """Two of these in one graph, neither of which needs the other."""
    return torch.randperm(64), torch.normal(torch.ones(64), 1.0)


def drawn(torch, function):
    torch.manual_seed(0)
    return function(torch)


@needs_compiler
def test_inductor_draws_other_numbers_and_repeats_them(torch) -> None:
    compiled = torch.compile(of_inductor, fullgraph=True)
    numbers, again = drawn(torch, compiled), drawn(torch, compiled)
    assert all(map(torch.equal, numbers, again))
    assert not any(map(torch.equal, numbers, drawn(torch, of_inductor)))


@needs_compiler
def test_inductor_draws_as_eager_mode_does_if_it_is_told_to(torch) -> None:
    compiled = torch.compile(of_inductor, fullgraph=True, options={"fallback_random": True})
    assert all(map(torch.equal, drawn(torch, compiled), drawn(torch, of_inductor)))


@needs_compiler
@pytest.mark.parametrize("name", OF_TORCH)
def test_inductor_has_torch_draw_what_it_cannot_draw_itself(torch, name) -> None:
    compiled = torch.compile(OF_TORCH[name], fullgraph=True)
    assert all(map(torch.equal, drawn(torch, compiled), drawn(torch, OF_TORCH[name])))


@needs_compiler
@pytest.mark.parametrize("reorder", [True, False])
def test_inductor_changes_the_order_of_draws_to_save_memory(torch, reorder) -> None:
    options = {"reorder_for_peak_memory": reorder}  # true by default
    compiled = torch.compile(two_of_torch, fullgraph=True, options=options)
    same = map(torch.equal, drawn(torch, compiled), drawn(torch, two_of_torch))
    assert all(same) is not reorder


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_other_backends_draw_as_eager_mode_does(torch, backend) -> None:
    for function in (of_inductor, two_of_torch):
        compiled = torch.compile(function, backend=backend, fullgraph=True)
        assert all(map(torch.equal, drawn(torch, compiled), drawn(torch, function)))


def test_a_seed_or_a_generator_breaks_torchs_graph(torch) -> None:
    generator = torch.Generator()

    def seeds(x):
        torch.manual_seed(0)
        return x + torch.rand(())

    def forks(x):
        with torch.random.fork_rng():
            return x + torch.rand(())

    for function in (
        seeds,
        forks,
        lambda x: x + torch.rand((), generator=generator),
        lambda x: x + torch.rand((), generator=torch.Generator().manual_seed(0)),
    ):
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(function, backend="eager", fullgraph=True)(torch.zeros(3))


def test_more_normal_numbers_begin_with_fewer_in_jax_and_not_in_torch(jax, torch) -> None:
    short, long = (jax.random.normal(jax.random.key(0), size) for size in (15, 16))
    assert np.array_equal(short, long[:15])
    short, long = (torch.randn(size, generator=torch.Generator()) for size in (15, 16))
    assert not torch.equal(short, long[:15])


def test_another_dtype_draws_other_uniform_numbers(jax, torch) -> None:
    with jax.enable_x64(True):
        wide, narrow = (jax.random.uniform(jax.random.key(0), 3, t) for t in ("f8", "f4"))
    assert not np.allclose(wide, narrow)
    wide, narrow = (
        torch.rand(3, generator=torch.Generator(), dtype=dtype)
        for dtype in (torch.float64, torch.float32)
    )
    assert not torch.allclose(wide, narrow.double())


def test_jax_draws_as_before_0_5_if_it_is_told_to(jax) -> None:
    key = jax.random.key(0)
    assert jax.config.jax_threefry_partitionable
    with jax.threefry_partitionable(False):
        before = jax.random.uniform(key, 3)
    assert not np.allclose(before, jax.random.uniform(key, 3))


def test_jax_draws_these_numbers_in_every_version_that_is_tested(jax) -> None:
    drawn = jax.random.uniform(jax.random.key(0), 3)
    np.testing.assert_allclose(drawn, [0.947667, 0.9785799, 0.33229148], rtol=1e-6)
    drawn = jax.random.uniform(jax.random.key(0, impl="rbg"), 3)
    if jax.default_backend() == "cpu":
        np.testing.assert_allclose(drawn, [0.39904642, 0.8805201, 0.73571277], rtol=1e-6)


def test_a_seed_drawn_while_jax_traces_is_frozen(jax, torch) -> None:
    @jax.jit
    def frozen():
        return jax.random.uniform(jax.random.key(int(torch.randint(2**31, ()))), 3)

    assert np.array_equal(frozen(), frozen())
