"""Decoding without an `if`."""

import importlib

import numpy as np
import pytest

from jaxvstorch import ledger

SCORES = [[[0, 1, 5], [9, 0, 1]], [[0, 9, 1], [0, 9, 1]]]  # two steps, two sequences, three tokens
TOKENS = [[1, 2, 0, 2], [0, 1, 1, 0]]
KEPT = [[True, True, False, False], [True, True, True, True]]


@pytest.fixture
def array(framework):
    """Makes an array of the framework."""
    return importlib.import_module({"jax": "jax.numpy", "torch": "torch"}[framework]).asarray


def test_a_finished_sequence_repeats_its_end_token(half, array) -> None:
    finished, tokens = array([False, False]), []
    for scores in SCORES:
        token, finished = half.next_token(array(scores), finished, 2)
        tokens.append(token.tolist())
    assert tokens == [[2, 0], [2, 1]]  # the first has finished: its best score no longer counts
    assert finished.tolist() == [True, False]


def test_masks_end_with_the_end_token(half, array) -> None:
    kept = half.mask_after_end(array(TOKENS), 2).tolist()
    seen = half.attention_mask(array(TOKENS), 2).tolist()
    assert kept == KEPT
    assert seen[0] == [[True, False, False, False], *[[True, True, False, False]] * 3]
    assert seen[1] == np.tri(4, dtype=bool).tolist()


def test_decoding_compiles_to_one_program_without_a_branch(jax, in_jax, torch, in_torch) -> None:
    scores = np.array(SCORES[0], np.float32)
    args = (jax.numpy.asarray(scores), jax.numpy.array([False, True]))
    text = str(jax.make_jaxpr(in_jax.next_token)(*args, 2))
    assert "cond[" not in text
    assert "select_n" in text
    masks = [torch.tensor(mask) for mask in ([False, True], [True, False], [True, True])]
    step = torch.compile(in_torch.next_token, backend="eager", fullgraph=True)
    assert ledger(step, [(torch.tensor(scores), mask, 2) for mask in masks]).programs == [1, 0, 0]


def test_a_vmapped_torch_cond_does_not_compile_with_symbolic_shapes(torch, in_torch) -> None:
    compiled = torch.compile(in_torch.expensive_cond_batch, backend="eager", dynamic=True)
    predicates, matrices = torch.tensor([True, False]), torch.ones(2, 4, 4)
    with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="must be a list of tensors"):
        compiled(predicates, matrices)
