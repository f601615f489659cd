"""Decoding without an `if`."""

import numpy as np
import pytest

from jaxvstorch import ledger

SCORES = [[[0, 1, 5], [9, 0, 1]], [[0, 9, 1], [0, 9, 1]]]  # two steps, two sequences, three tokens
TOKENS = [[1, 2, 0, 2], [0, 1, 1, 0]]
KEPT = [[True, True, False, False], [True, True, True, True]]


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_finished_sequence_repeats_its_end_token(request, framework: str) -> None:
    half = request.getfixturevalue(f"in_{framework}")
    array = half.jnp.asarray if framework == "jax" else half.torch.tensor
    finished, tokens = array([False, False]), []
    for scores in SCORES:
        token, finished = half.examples.next_token(array(scores), finished, 2)
        tokens.append(token.tolist())
    assert tokens == [[2, 0], [2, 1]]  # the first has finished: its best score no longer counts
    assert finished.tolist() == [True, False]


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_masks_end_with_the_end_token(request, framework: str) -> None:
    half = request.getfixturevalue(f"in_{framework}")
    array = half.jnp.asarray if framework == "jax" else half.torch.tensor
    kept = half.examples.mask_after_end(array(TOKENS), 2).tolist()
    seen = half.examples.attention_mask(array(TOKENS), 2).tolist()
    assert kept == KEPT
    assert seen[0] == [[True, False, False, False], *[[True, True, False, False]] * 3]
    assert seen[1] == np.tri(4, dtype=bool).tolist()


def test_decoding_compiles_to_one_program_without_a_branch(in_jax, in_torch) -> None:
    scores = np.array(SCORES[0], np.float32)
    args = (in_jax.jnp.asarray(scores), in_jax.jnp.array([False, True]))
    text = str(in_jax.jax.make_jaxpr(in_jax.examples.next_token)(*args, 2))
    assert "cond[" not in text
    assert "select_n" in text
    t = in_torch
    masks = [t.torch.tensor(mask) for mask in ([False, True], [True, False], [True, True])]
    step = t.graph(t.examples.next_token, fullgraph=True)
    assert ledger(step, [(t.torch.tensor(scores), mask, 2) for mask in masks]).programs == [1, 0, 0]


def test_a_vmapped_torch_cond_does_not_compile_with_symbolic_shapes(fresh_torch_compile) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.branching import torch as torch_branching

    compiled = torch.compile(torch_branching.expensive_cond_batch, backend="eager", dynamic=True)
    predicates, matrices = torch.tensor([True, False]), torch.ones(2, 4, 4)
    with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="must be a list of tensors"):
        compiled(predicates, matrices)
