"""What of this topic is also compiled for hardware that is not here."""

from jaxvstorch._hardware.program import Program

SIZE = 1_048_576
SCORES = 2 * 1023**2  # two heads, 1024 positions

PROGRAMS = (
    Program("vectorization.attention_heads", SCORES),
    Program("vectorization.attention_heads", SCORES, "and gradient", gradient=True),
    Program("vectorization.pairwise_distances", SIZE),
    Program("vectorization.kernel_matrix", SIZE),
)
