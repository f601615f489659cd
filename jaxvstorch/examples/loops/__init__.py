"""Loops: unrolled while Python traces them, or kept as loops in the compiled program."""
