"""What is kept for the way back, and what is computed again."""

import numpy as np
import pytest
from autodiff_counts import torch_flops, xla

DEPTH, BATCH, WIDTH, HIDDEN = 8, 256, 16, 64
SHAPES = (BATCH, WIDTH), (DEPTH, WIDTH, HIDDEN), (DEPTH, HIDDEN, WIDTH)
BLOCK_INPUTS, HIDDEN_LAYERS = 4 * DEPTH * BATCH * WIDTH, 4 * DEPTH * BATCH * HIDDEN


def kept_by_jax(jax, network) -> int:
    """Bytes besides the weights."""
    arguments = [jax.numpy.full(shape, 0.1) for shape in SHAPES]
    _, back = jax.vjp(network, *arguments)
    kept = sum(array.nbytes for array in jax.tree.leaves(back))
    return kept - sum(array.nbytes for array in arguments[1:])


def kept_by_torch(torch, network) -> int:
    """Bytes besides the weights, each storage once."""
    x, *weights = (torch.full(shape, 0.1, requires_grad=True) for shape in SHAPES)
    kept = {}

    def pack(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        network(x, *weights)
    own = {weight.untyped_storage().data_ptr() for weight in weights}
    return sum(tensor.nbytes for place, tensor in kept.items() if place not in own)


def test_a_checkpoint_keeps_the_inputs_of_the_blocks(jax, torch, in_jax, in_torch) -> None:
    assert kept_by_jax(jax, in_jax.residual_mlp_checkpointed) == BLOCK_INPUTS
    assert kept_by_torch(torch, in_torch.residual_mlp_checkpointed) == BLOCK_INPUTS


def test_without_one_jax_keeps_two_arrays_of_a_tanh_and_torch_one(
    jax, torch, in_jax, in_torch
) -> None:
    assert kept_by_jax(jax, in_jax.residual_mlp) == BLOCK_INPUTS + 2 * HIDDEN_LAYERS
    assert kept_by_torch(torch, in_torch.residual_mlp) == BLOCK_INPUTS + HIDDEN_LAYERS


def test_torch_computes_one_of_two_products_again(torch, in_torch) -> None:
    product = 2 * BATCH * WIDTH * HIDDEN
    for name, products in (("residual_mlp", 4), ("residual_mlp_checkpointed", 5)):
        arguments = [torch.full(shape, 0.1, requires_grad=True) for shape in SHAPES]
        total = getattr(in_torch, name)(*arguments).sum()
        assert torch_flops(total.backward) == DEPTH * products * product


def gradient_program(jax, network):
    gradient = jax.grad(lambda *arguments: network(*arguments).sum(), argnums=(0, 1, 2))
    return xla(jax, gradient, *(np.full(shape, 0.1, np.float32) for shape in SHAPES))


def test_a_checkpoint_in_a_scan_saves_memory_under_jit(jax, in_jax) -> None:
    networks = in_jax.residual_mlp, in_jax.residual_mlp_checkpointed
    plain, checkpointed = (gradient_program(jax, network) for network in networks)
    assert [program.as_text().count(" dot(") for program in (plain, checkpointed)] == [6, 7]
    memory = [program.memory_analysis().temp_size_in_bytes for program in (plain, checkpointed)]
    assert memory[1] < memory[0] / 4


def test_jax_0_10_computes_nothing_again_in_a_python_loop_on_a_cpu(jax, in_jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("XLA's passes for other devices differ")

    def unrolled(block):
        def network(x, w_in, w_out):
            for weights in zip(w_in, w_out, strict=True):
                x = block(x, *weights)
            return x

        return network

    blocks = in_jax._block, jax.checkpoint(in_jax._block)
    plain, checkpointed = (gradient_program(jax, unrolled(block)) for block in blocks)
    same = plain.as_text().count(" dot(") == checkpointed.as_text().count(" dot(")
    assert same == (jax.__version_info__ < (0, 12))


def test_a_checkpoint_around_the_whole_saves_nothing(jax, in_jax) -> None:
    whole, plain, by_blocks = (
        gradient_program(jax, network).memory_analysis().temp_size_in_bytes
        for network in (
            jax.checkpoint(in_jax.residual_mlp),
            in_jax.residual_mlp,
            in_jax.residual_mlp_checkpointed,
        )
    )
    assert whole > 0.9 * plain
    assert by_blocks < whole / 4
