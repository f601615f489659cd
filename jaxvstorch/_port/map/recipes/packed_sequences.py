"""Sequences of different lengths (packing, padding).

JAX wants one shape: pad to a few lengths, and hand on the lengths. ``nnx.RNN`` takes
``seq_lengths``; its state is then the last one of each sequence, and what it returns beyond a
sequence's end is to be masked.
"""

PAGE = "shapes"
NAMES = (
    "torch.nn.utils.rnn.pad_sequence",
    "torch.nn.utils.rnn.pack_padded_sequence",
    "torch.nn.utils.rnn.pad_packed_sequence",
    "torch.nn.utils.rnn.pack_sequence",
    "torch.nn.utils.rnn.PackedSequence",
    "torch.nn.utils.rnn.unpad_sequence",
    "nnx.RNN",
)


def with_torch():
    import torch
    from torch.nn.utils.rnn import (
        pack_padded_sequence,
        pack_sequence,
        pad_packed_sequence,
        pad_sequence,
        unpad_sequence,
    )  # fmt: skip

    sequences = [torch.ones(3, 2), torch.ones(1, 2)]
    lengths = torch.tensor([3, 1])
    rnn = torch.nn.RNN(2, 2, batch_first=True, bias=False)
    for weight in rnn.parameters():
        torch.nn.init.constant_(weight, 0.1)
    padded = pad_sequence(sequences, batch_first=True)
    packed, state = rnn(pack_padded_sequence(padded, lengths, batch_first=True))
    outputs, _ = pad_packed_sequence(packed, batch_first=True)
    _, same = rnn(pack_sequence(sequences))  # without padding first
    last = [output[-1].detach() for output in unpad_sequence(outputs, lengths, batch_first=True)]
    return outputs.detach(), state[0].detach(), same[0].detach(), last


def with_jax():
    import jax.numpy as jnp
    import numpy as np
    from flax import nnx

    sequences = [np.ones((3, 2)), np.ones((1, 2))]
    lengths = jnp.array([3, 1])
    tenth = nnx.initializers.constant(0.1)
    cell = nnx.SimpleCell(2, 2, kernel_init=tenth, recurrent_kernel_init=tenth, rngs=nnx.Rngs(0))
    padded = np.zeros((2, 3, 2), np.float32)
    for row, sequence in zip(padded, sequences, strict=True):
        row[: len(sequence)] = sequence
    state, outputs = nnx.RNN(cell, return_carry=True)(jnp.asarray(padded), seq_lengths=lengths)
    inside = jnp.arange(3) < lengths[:, None]
    last = [output[length - 1] for output, length in zip(outputs, lengths, strict=True)]
    return jnp.where(inside[..., None], outputs, 0), state, state, last
