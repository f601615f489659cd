"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.parallelism import inputs, reference

POSITION = (3, 3)  # the part of the book, and the position there

PAIRS = (
    Pair("mlp", inputs.network, reference.mlp, gradient=(0, 1, 2)),
    Pair("mlp_loss", inputs.training, reference.mlp_loss, gradient=(0, 1)),
    Pair(
        "train_step",
        inputs.training,
        reference.train_step,
        benchmark=Benchmark(quick=(16, 65_536)),
    ),
    Pair("train_step_in_shards", inputs.training_in_shards, reference.train_step_in_shards),
    Pair("mlp_column_row", inputs.network_in_shards, reference.mlp_column_row, gradient=(0, 1, 2)),
    Pair("matmul_by_blocks", inputs.blocks, reference.matmul_by_blocks, gradient=(0, 1)),
    Pair("softmax_in_shards", inputs.vector_in_shards, reference.softmax_in_shards, gradient=(0,)),
    Pair("mean_in_shards", inputs.unequal_shards, reference.mean_in_shards, gradient=(0,)),
    Pair("mean_of_means", inputs.unequal_shards, reference.mean_of_means, gradient=(0,)),
    Pair(
        "attention_in_shards", inputs.attention, reference.attention_in_shards, gradient=(0, 1, 2)
    ),
    Pair("embedding_in_shards", inputs.vocabulary, reference.embedding_in_shards, gradient=(0,)),
)
