"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Pair
from jaxvstorch.examples.shapes import inputs, reference

POSITION = (1, 6)  # the part of the book, and the position there

PAIRS = (
    Pair("center", inputs.vector, reference.center, gradient=(0,)),
    Pair("scale_by_length", inputs.vector, reference.scale_by_length, gradient=(0,)),
    Pair("pad_to_bucket", inputs.vector, reference.pad_to_bucket, gradient=(0,)),
    Pair("center_padded", inputs.padded, reference.center_padded, gradient=(0,)),
    Pair("masked_softmax", inputs.padded_batch, reference.masked_softmax, gradient=(0,)),
    Pair("project", inputs.layer, reference.project, gradient=(0, 1)),
    Pair(
        "sliding_windows",
        inputs.windowed,
        reference.sliding_windows,
        gradient=(0,),
        static=("width",),
    ),
    Pair("top_scores", inputs.scores, reference.top_scores, gradient=(0,), static=("count",)),
    Pair(
        "select_mask",
        inputs.masked,
        reference.select_mask,
        gradient=(0,),
        jit=False,
        fullgraph=False,
    ),
    Pair("mean_selected", inputs.masked, reference.mean_selected, gradient=(0,)),
    Pair("positive_places", inputs.kept, reference.positive_places, static=("size",)),
    Pair(
        "select_positive",
        inputs.kept,
        reference.select_positive,
        gradient=(0,),
        static=("size",),
    ),
    Pair("unique_padded", inputs.labels, reference.unique_padded, static=("size",)),
    Pair("ragged_sums", inputs.ragged, reference.ragged_sums, gradient=(0,)),
)
