"""Compiles every program that the topics list, and writes what came of it to ``compiled.json``.

``nox -s elsewhere`` runs it, where the compilers for both devices are installed.
"""

import datetime
import sys
from importlib.metadata import version

from jaxvstorch.elsewhere import devices

devices.prepare()  # before JAX is imported

from jaxvstorch.elsewhere import inductor, lowering, recorded  # noqa: E402
from jaxvstorch.elsewhere.analysis import Analysis, analyse  # noqa: E402
from jaxvstorch.elsewhere.digest import digest  # noqa: E402
from jaxvstorch.elsewhere.program import Program, programs  # noqa: E402

PACKAGES = ("jax", "jaxlib", "jax-cuda12-plugin", "libtpu", "torch", "triton")


def main() -> None:
    """Compile everything, one program after another."""
    entries = {str(program): _entry(program) for program in programs()}
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    versions = {package: version(package).partition("+")[0] for package in PACKAGES}
    found = recorded.Recorded(today, versions, entries)
    recorded.FILE.write_text(recorded.dump(found), encoding="utf-8")


def _entry(program: Program) -> recorded.Entry:
    print(program, file=sys.stderr)
    digests = {framework: digest(program, framework) for framework in program.halves}
    xla = {kind: _analysed(program, kind) for kind in devices.TITLES if "jax" in digests}
    written = inductor.compile(program) if "torch" in digests else None
    return recorded.Entry(digests, xla, written)


def _analysed(program: Program, kind: str) -> Analysis:
    return analyse(lowering.compile(program, devices.devices(kind, program.devices)))


if __name__ == "__main__":
    main()
