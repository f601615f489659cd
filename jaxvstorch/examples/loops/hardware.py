"""What of this topic is also compiled for hardware that is not here."""

from jaxvstorch._hardware.program import Program

SIZE = 65_536

PROGRAMS = (
    Program("loops.evolve_python", SIZE),
    Program("loops.evolve_scan", SIZE),
    Program("loops.evolve_scan", SIZE, "and gradient", gradient=True),
    Program("loops.recurrence_sequential", SIZE),
    Program("loops.recurrence_associative", SIZE),
)
