"""What the examples become on hardware that is not here: compiled for it, and not run.

Both compilers work without the device. ``nox -s hardware`` compiles for an NVIDIA H100 and a TPU
v5e what the topics' ``hardware.py`` list, and writes ``compiled.json``. ``hardware_table`` shows it
beside what the same programs become on this CPU, and needs no compiler for either device.
"""

from jaxvstorch._hardware.table import HardwareTable, hardware_table

__all__ = ["HardwareTable", "hardware_table"]
