"""What of this topic is also compiled for hardware that is not here."""

from jaxvstorch._hardware.program import Program

SCORES = 67_108_864  # 268 MB of float32: more than a TPU v5e has on the chip
NUMBERS = 4_194_304
WIDE = 8_192  # a batch of 8 x 1024, four matrices of 1024 x 1024

PROGRAMS = (
    Program("memory.momentum_step", NUMBERS),
    Program("memory.momentum_step", NUMBERS, "donated", donated=(0, 1)),
    *(
        program
        for name in ("kernel_means", "attention", "cross_entropy")
        for half in (("", "_chunked") if name == "kernel_means" else ("_full", "_chunked"))
        for program in (
            Program(f"memory.{name}{half}", SCORES),
            Program(f"memory.{name}{half}", SCORES, "and gradient", gradient=True),
        )
    ),
    *(
        Program(f"memory.layers{way}", WIDE, "and gradient", gradient=True)
        for way in ("", "_rematerialized", "_saving_products", "_in_segments")
    ),
)
