"""What of this topic is also compiled for hardware that is not here: eight devices each."""

from jaxvstorch._hardware.program import Program

SIZE = 1_048_576  # matrices of 1024 x 4096 and 4096 x 1024, a batch of 1024 x 1024
STEP = "parallelism.train_step"
EIGHT, TWO_BY_FOUR = (("data", 8),), (("data", 2), ("model", 4))
ROWS = ("data",)

PROGRAMS = (
    Program(STEP, SIZE, "one device", donated=(0, 1)),
    Program(
        STEP,
        SIZE,
        "data parallel",
        donated=(0, 1),
        mesh=EIGHT,
        shards=((), (), ROWS, ROWS),
    ),
    Program(
        STEP,
        SIZE,
        "tensor parallel",
        donated=(0, 1),
        mesh=(("model", 8),),
        shards=((None, "model"), ("model",), (), ()),
    ),
    Program(
        STEP,
        SIZE,
        "both",
        donated=(0, 1),
        mesh=TWO_BY_FOUR,
        shards=((None, "model"), ("model",), ROWS, ROWS),
    ),
    Program(
        STEP,
        SIZE,
        "all sharded by rows",
        donated=(0, 1),
        mesh=EIGHT,
        shards=(ROWS, ROWS, ROWS, ROWS),
    ),
)
