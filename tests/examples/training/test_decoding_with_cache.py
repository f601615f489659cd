"""The cache gives the scores of the whole text, in one program for each length."""

import numpy as np
import pytest
from training_setup import numbers, tensors

from jaxvstorch.examples.training.inputs import SMALL

CONTEXT = SMALL.context


def scores_in_jax(jax, in_jax, params, tokens, first):
    step = jax.jit(in_jax.decode, donate_argnames="cache")
    cache = in_jax.empty_cache(params, len(tokens))
    zero = jax.numpy.int32(0)
    parts = []
    for start, end in [(0, first), *((i, i + 1) for i in range(first, tokens.shape[1]))]:
        found, cache = step(params, cache, tokens[:, start:end], zero + start)
        parts.append(found)
    return np.concatenate(parts, axis=1), step


@pytest.mark.parametrize("first", [1, 4])
def test_jax_gives_the_scores_of_the_whole_text_in_two_programs(jax, in_jax, first) -> None:
    params, tokens, _ = numbers()
    found, step = scores_in_jax(jax, in_jax, params, tokens, first)
    whole = jax.jit(in_jax.logits)(params, tokens)
    np.testing.assert_allclose(found, whole, rtol=1e-5, atol=1e-5)
    assert step._cache_size() == (1 if first == 1 else 2)


@pytest.mark.parametrize("first", [1, 4])
def test_torch_gives_the_scores_of_the_whole_text(torch, in_torch, first) -> None:
    from torch._dynamo.testing import CompileCounter

    params, tokens, _ = numbers()
    params, tokens = tensors(torch, params), torch.from_numpy(tokens)
    counter = CompileCounter()
    step = torch.compile(in_torch.decode, backend=counter, fullgraph=True, dynamic=False)
    cache = in_torch.empty_cache(params, len(tokens))
    parts = []
    with torch.inference_mode():
        for start, end in [(0, first), *((i, i + 1) for i in range(first, tokens.shape[1]))]:
            parts.append(step(params, cache, tokens[:, start:end], torch.tensor(start))[0])
    np.testing.assert_allclose(
        torch.cat(parts, dim=1), in_torch.logits(params, tokens), rtol=1e-5, atol=1e-5
    )
    assert counter.frame_count == (1 if first == 1 else 2)


def test_a_python_number_for_the_position_compiles_again_in_torch(torch, in_torch) -> None:
    from torch._dynamo.testing import CompileCounter

    params, tokens, _ = numbers()
    params, tokens = tensors(torch, params), torch.from_numpy(tokens)
    counter = CompileCounter()
    step = torch.compile(in_torch.decode, backend=counter, dynamic=False)
    cache = in_torch.empty_cache(params, len(tokens))
    for position in range(4):
        step(params, cache, tokens[:, :1], position)
    assert counter.frame_count == 4


def test_jax_overwrites_the_end_of_a_full_cache_and_says_nothing(jax, in_jax) -> None:
    params, tokens, _ = numbers()
    params = jax.tree.map(jax.numpy.asarray, params)
    cache = jax.tree.map(lambda x: x + 7, in_jax.empty_cache(params, len(tokens)))
    _, after = in_jax.decode(params, cache, tokens[:, :2], jax.numpy.int32(CONTEXT))
    changed = np.asarray((after["k"] != 7).any(axis=(0, 1, 3, 4)))
    np.testing.assert_array_equal(np.flatnonzero(changed), [CONTEXT - 2, CONTEXT - 1])


def test_torch_refuses_to_write_behind_a_full_cache(torch, in_torch) -> None:
    params, tokens, _ = numbers()
    params, tokens = tensors(torch, params), torch.from_numpy(tokens)
    cache = in_torch.empty_cache(params, len(tokens))
    with pytest.raises(IndexError, match=r"out of (bounds|range)"):
        in_torch.decode(params, cache, tokens[:, :2], torch.tensor(CONTEXT))


def test_a_donated_cache_shares_all_its_memory(jax, in_jax) -> None:
    params, tokens, _ = numbers()
    cache = in_jax.empty_cache(params, len(tokens))
    step = jax.jit(in_jax.decode, donate_argnames="cache")
    compiled = step.lower(params, cache, tokens[:, :1], jax.numpy.int32(0)).compile()
    size = sum(x.nbytes for x in cache.values())
    assert compiled.memory_analysis().alias_size_in_bytes == size
    step(params, cache, tokens[:, :1], jax.numpy.int32(0))
    assert cache["k"].is_deleted()
    if jax.default_backend() == "cpu":
        with pytest.raises((ValueError, RuntimeError), match=r"deleted|donated"):
            step(params, cache, tokens[:, :1], jax.numpy.int32(0))


def test_the_cache_saves_most_operations(torch, in_torch) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    params, tokens, _ = numbers(rows=1)
    params, tokens = tensors(torch, params), torch.from_numpy(tokens)
    noise = torch.zeros(2, 1, SMALL.vocabulary)
    with FlopCounterMode(display=False) as cached:
        in_torch.generate(params, tokens[:, :6], noise, 1.0, 1)
    with FlopCounterMode(display=False) as whole:
        for n in (6, 7, 8):
            in_torch.logits(params, torch.zeros((1, n), dtype=torch.int64))
    assert cached.get_total_flops() < whole.get_total_flops()


def test_equal_noise_gives_equal_tokens_and_other_noise_others(
    jax, in_jax, torch, in_torch
) -> None:
    params, tokens, _ = numbers()
    rng = np.random.default_rng(1)
    chosen = []
    generate = jax.jit(in_jax.generate, static_argnames="k")
    for _ in range(2):
        noise = rng.gumbel(size=(2, 3, SMALL.vocabulary)).astype(np.float32)
        arrays = jax.tree.map(jax.numpy.asarray, params)
        ours = generate(arrays, tokens, noise, 1.0, SMALL.vocabulary)
        theirs = in_torch.generate(
            tensors(torch, params),
            torch.from_numpy(tokens),
            torch.from_numpy(noise),
            1.0,
            SMALL.vocabulary,
        )
        np.testing.assert_array_equal(ours, theirs)
        chosen.append(np.asarray(ours))
    assert (chosen[0] != chosen[1]).any()


def test_gumbel_noise_draws_from_the_softmax(jax, in_jax) -> None:
    scores = np.log(np.array([0.1, 0.2, 0.7], np.float32))
    noise = np.random.default_rng(0).gumbel(size=(20_000, 3)).astype(np.float32)
    rows = np.broadcast_to(scores, noise.shape)
    shares = np.bincount(np.asarray(in_jax.sample(rows, noise, 1.0, 3)), minlength=3) / 20_000
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.7], atol=0.02)
    two = np.bincount(np.asarray(in_jax.sample(rows, noise, 1.0, 2)), minlength=3)
    assert two[0] == 0
