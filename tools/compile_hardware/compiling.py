"""Compiles every program that the topics list, and writes the results to ``compiled.json``.

The compilers for both devices must be installed. Each framework has a process of its own.
"""

import datetime
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any

from jaxvstorch._hardware import recorded
from jaxvstorch._hardware.analysis import Analysis, analyse
from jaxvstorch._hardware.inductor_code import Generated
from jaxvstorch._hardware.program import Program, programs
from tools.compile_hardware import devices
from tools.compile_hardware.digest import digest

PACKAGES = ("jax", "jaxlib", "jax-cuda12-plugin", "libtpu", "torch", "triton")


def main() -> None:
    """Compile everything.

    Raises:
        PackageNotFoundError: a compiler is not installed.
    """
    versions = {package: version(package).partition("+")[0] for package in PACKAGES}
    xla, inductor = _in_new_process(by_xla), _in_new_process(by_inductor)
    entries = {
        str(p): recorded.Entry(
            {framework: digest(p, framework) for framework in p.halves},
            xla.get(str(p), {}),
            inductor.get(str(p)),
        )
        for p in programs()
    }
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    record = recorded.Recorded(today, versions, entries)
    recorded.FILE.write_text(recorded.dump(record), encoding="utf-8")


def by_xla() -> dict[str, dict[str, Analysis]]:
    """The analyses of XLA's programs, by program and device."""
    devices.prepare()  # before JAX is imported
    from jaxvstorch._hardware import lowering

    def analysed(program: Program, kind: str) -> Analysis:
        return analyse(lowering.compile(program, devices.devices(kind, program.devices)))

    return {
        _announced("XLA", program): {kind: analysed(program, kind) for kind in devices.TITLES}
        for program in programs()
        if "jax" in program.halves
    }


def by_inductor() -> dict[str, Generated]:
    """Inductor's code, by program."""
    from tools.compile_hardware import inductor

    wanted = [program for program in programs() if "torch" in program.halves]
    return {_announced("Inductor", program): inductor.compile(program) for program in wanted}


def _announced(compiler: str, program: Program) -> str:
    print(f"{compiler}: {program}", file=sys.stderr)
    return str(program)


def _in_new_process(work: Callable[[], Any]) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work).result()
