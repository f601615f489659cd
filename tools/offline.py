"""Doctor, tests and benchmarks on a machine without a network, in one go and within minutes.

``python3 tools/offline.py --wheels FOLDER --output FOLDER``, by the Python that has that machine's
jax and torch, with the wheels that ``nox -s wheelhouse`` collected elsewhere. It needs nothing but
that Python's pip. What does not end in time is stopped, and what it has so far is kept.

Exit status: 0 all passed and whole, 1 not so, 2 bad input, 130 stopped.
"""

import argparse
import glob
import importlib.metadata
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import environment
import outcomes
import stage

ROOT = Path(__file__).parents[1]
# What is asked for at least, by --only: with less, PyTorch's benchmarks would not be reached.
LEAST_MINUTES = {"tests": 3, "benchmarks": 5, None: 8}
LEAST_BENCHMARKS = 3.0  # minutes, as benchmarks/__main__.py says
LEAST_DISK = 2 * 1024**3  # bytes: what torch.compile writes, mostly
TESTS_SHARE = 0.35  # of all time, where the benchmarks follow: these are worth more here
GRACE = 40.0  # seconds in which a stage that is stopped writes what it has
LAST_CASE = 0.3  # minutes in which the last case ends that has begun in time
CUT_SHORT = 130  # what benchmarks end with that did not begin all they had to time
RESERVE = 10.0  # seconds in which this command itself cleans up
WORKER_BYTES = 8 * 1024**3  # what is left to a test worker: it loads both frameworks and CUDA


class InputError(Exception):
    """This cannot run here; the message says why."""


def check(options: argparse.Namespace) -> list[Path]:
    """Find out what can be known before anything long; returns the wheels.

    Raises:
        InputError: Something is wrong.
    """
    if options.minutes < (least := LEAST_MINUTES[options.only]):
        what = f"--only {options.only}" if options.only else "tests and benchmarks"
        raise InputError(f"--minutes {options.minutes:g}: {what} take at least {least}")
    if options.shard:
        number, count = map(int, re.findall(r"\d+", options.shard)[:2] or (0, 0))
        if not re.fullmatch(r"\d+/\d+", options.shard) or not 1 <= number <= count:
            raise InputError(f"--shard {options.shard}: not a part such as 1/2")
    wheels = sorted(options.wheels.glob("*.whl"))
    if not wheels:
        raise InputError(f"{options.wheels}: no wheels there: `nox -s wheelhouse` collects them")
    for name in ("jax", "jaxlib", "torch", "pip"):
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            raise InputError(
                f"{sys.executable} has no {name}: run this with the Python that has the frameworks"
            ) from None
    if options.device == "cuda" and not glob.glob("/dev/nvidia[0-9]*"):
        raise InputError("no GPU here: there is no /dev/nvidia[0-9]*; --device cpu tries without")
    if (free := shutil.disk_usage(tempfile.gettempdir()).free) < LEAST_DISK:
        raise InputError(
            f"{tempfile.gettempdir()}: {free / 1024**2:.0f} MiB free, and "
            f"{LEAST_DISK / 1024**2:.0f} are needed: set TMPDIR to a folder on a larger disk"
        )
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        if any(options.output.iterdir()):
            raise InputError(f"{options.output}: is not empty: name a new folder")
        tempfile.TemporaryFile(dir=options.output).close()
    except OSError as error:
        raise InputError(f"{options.output}: cannot be written: {error.strerror}") from error
    return wheels


class Run:
    """One run: what it does by when, and what came of it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output: Path = options.output
        self.begun = time.monotonic()
        self.seconds = options.minutes * 60 - RESERVE - GRACE  # then the last stage has to stop
        self.environ = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        # The environment is new and starts hundreds of processes: each would compile it again.
        self.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        if options.device == "cpu":
            self.environ |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
        self.stages: list[dict[str, object]] = []

    def all(self, wheels: Sequence[Path]) -> None:
        """Do everything, in an environment that is gone afterwards.

        Raises:
            InputError: A framework does not use the GPU.
            SetUpError: There is no environment to be had.
        """
        with tempfile.TemporaryDirectory(prefix="jaxvstorch-", ignore_cleanup_errors=True) as made:
            print("set-up: an environment with the wheels", flush=True)
            python = environment.make(Path(made, "environment"), wheels)
            Path(made, "tmp").mkdir()
            self.environ["TMPDIR"] = str(Path(made, "tmp"))
            self.doctor(python)
            if self.options.only != "benchmarks":
                self.tests(python)
            if self.options.only != "tests":
                self.benchmarks(python)

    def doctor(self, python: str) -> None:
        """What is there, and what is wrong with it."""
        path = self.output / "doctor.json"
        # With this variable JAX does not take the CPU where its plugin fails.
        chosen = {"JAX_PLATFORMS": "cuda,cpu"} if self.options.device == "cuda" else {}
        command = [python, "-m", "jaxvstorch", "doctor", "--json"]
        self._stage("doctor", command, path, self.seconds, chosen, lambda: outcomes.doctor(path))
        if self.options.device == "cuda" and (lacking := outcomes.without_gpu(path)):
            log = path.with_suffix(".log")
            raise InputError(f"no GPU is used by {lacking}: see {path} and {log.name}")

    def tests(self, python: str) -> None:
        """Docstrings, and every test but the book's, which need no GPU."""
        until = self.seconds if self.options.only else self.seconds * TESTS_SHARE
        # A pool of compilers for each worker would be more processes than there are cores.
        own = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
        pytest = [python, "-m", "pytest", "-p", "no:cacheprovider"]
        for name, arguments in {
            "docstrings": ["--doctest-modules", "jaxvstorch"],
            "tests": [
                "tests", "--ignore=tests/book", "-m", "not built_image",
                "-n", str(workers()), "--dist", "worksteal",
            ],
        }.items():  # fmt: skip
            report = self.output / f"{name}.xml"
            command = [*pytest, *arguments, f"--junit-xml={report}"]
            log = self.output / f"{name}.log"
            self._stage(name, command, log, until, own, partial(outcomes.tests, report))

    def benchmarks(self, python: str) -> None:
        """All of them, or one shard."""
        results = self.output / "results.json"
        command = [python, "-m", "benchmarks", "--output", str(results)]
        if self.options.shard:
            command += ["--shard", self.options.shard]
        # They share the time out between the frameworks, so that there are ratios in any case.
        minutes = (self.seconds - (time.monotonic() - self.begun)) / 60 - LAST_CASE
        if minutes < LEAST_BENCHMARKS:
            self._too_late("benchmarks", f"{max(0.0, minutes):.1f} minutes were left")
            return
        command += ["--minutes", f"{minutes:.1f}"]
        log = self.output / "benchmarks.log"
        self._stage(
            "benchmarks", command, log, self.seconds, {}, lambda: outcomes.benchmarks(results)
        )

    def _too_late(self, name: str, says: str) -> None:
        """Leave a stage out for which there is no time."""
        print(f"{name}: not begun, {says}", flush=True)
        self.stages.append({"name": name, "outcome": "cut", "says": f"not begun: {says}"})
        self.write_summary(None)

    def _stage(
        self, name: str, command: Sequence[str], path: Path, until: float,
        environ: Mapping[str, str], says: Callable[[], str],
    ) -> None:  # fmt: skip
        """Run a command until it ends, or until as many seconds after the run's beginning."""
        seconds = max(0.0, until - (time.monotonic() - self.begun))
        print(f"{name}: up to {seconds:.0f} s", flush=True)
        found: dict[str, object] = {"name": name, "outcome": "stopped"}
        self.stages.append(found)
        try:
            # The doctor's answer is for machines; where both are one file, each adds to it.
            log = self.output / f"{name}.log"
            with path.open("a", encoding="utf-8") as out, log.open("a", encoding="utf-8") as errors:
                own = {**self.environ, **environ}
                ended = stage.run(command, ROOT, own, out, errors, seconds, GRACE)
            was_cut = ended.cut or ended.code == CUT_SHORT
            outcome = "cut" if was_cut else "failed" if ended.code else "passed"
            found |= {"outcome": outcome, "seconds": round(ended.seconds, 1), "code": ended.code}
        finally:
            found |= {"says": says(), "file": path.name}
            print("  {outcome}: {says} ({file})".format(**found), flush=True)
            self.write_summary(None)

    def write_summary(self, code: int | None) -> None:
        """Write what came of it so far; the exit status is known at the end."""
        summary = {
            "device": self.options.device,
            "minutes": self.options.minutes,
            "seconds": round(time.monotonic() - self.begun, 1),
            "exit_status": code,
            "stages": self.stages,
        }
        text = json.dumps(summary, indent=2) + "\n"
        (self.output / "summary.json").write_text(text, encoding="utf-8")


def workers() -> int:
    """As many test workers as there are cores, or as fit into the memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), memory // WORKER_BYTES))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--wheels", type=Path, required=True, help="what the wheelhouse is")
    parser.add_argument("--output", type=Path, required=True, help="a folder, new or empty")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--minutes", type=float, default=10, help="all ends within these")
    parser.add_argument("--only", choices=("tests", "benchmarks"), help="all the time for one")
    parser.add_argument("--shard", help="a part of the benchmarks: 1/2, and in another call 2/2")
    options = parser.parse_args(arguments)
    options.wheels, options.output = options.wheels.resolve(), options.output.resolve()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores SIGINT
        signal.signal(number, signal.default_int_handler)
    stage.adopt_orphans()
    run = Run(options)
    code = 0
    try:
        run.all(check(options))
    except (InputError, environment.SetUpError) as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        code = 130
    if run.stages:
        code = code or int(any(each["outcome"] != "passed" for each in run.stages))
        run.write_summary(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
