"""What of this topic is also compiled for hardware that is not here."""

from jaxvstorch._hardware.program import Program

SIZE = 4_194_304

PROGRAMS = (
    Program("updates.set_rows", SIZE),
    Program("updates.set_rows", SIZE, "donated", donated=(0,)),
    Program("updates.ring_write", SIZE),
    Program("updates.ring_write", SIZE, "donated", donated=(0,)),
    Program("updates.fill_rows", SIZE),
    Program("updates.fill_rows", SIZE, "donated", donated=(0,)),
    Program("updates.drain", SIZE),
    Program("updates.cumulative_histogram", SIZE),
)
