"""When two machines are alike enough for their ratios to be judged against each other."""

import re

from benchmarks.report.schema import Results

DEFINITION = (
    "the same family of processor, as many cores, and the same kind of device for each framework"
)


def machine_class(results: Results) -> str:
    """The class in words, such as ``"AMD EPYC, 2 cores, jax on cpu, torch on cpu"``."""
    machine = results.machine
    kinds = [f"{f} on {results.devices[f].name}" for f in sorted(results.devices) if f != "numpy"]
    return ", ".join([cpu_family(machine.cpu), f"{machine.cores} cores", *kinds])


def cpu_family(cpu: str) -> str:
    """A processor's name without model number and clock, such as ``"Intel Xeon Platinum"``.

    Virtual machines often report no more than this, so it is what can be compared. Where a name
    without a number is followed by those of family and model, they stay: the name alone does not
    tell apart processors with other instructions.
    """
    cpu, opening, numbers = cpu.partition(" (family ")
    cpu = re.sub(r"\(\w+\)|@.*|\b(\d+-Core|\d+th Gen|CPU|Processor)\b", " ", cpu)
    cpu = re.sub(r"-?\b[A-Za-z]*\d[A-Za-z]*\d\w*", " ", cpu)  # 7B13, 8481C, the end of i7-1185G7
    return " ".join(cpu.split()) + opening + numbers
