"""What the caches on disk find after one thing has changed.

For each framework one process compiles a program. Then other, fresh processes compile it with one
thing changed, and record whether the cache has it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._frameworks.limits import HANGING
from jaxvstorch._table import Table
from jaxvstorch.examples.aot.cached import ARGUMENTS, EDITS, FOLDER_OF_CACHE, OPTION

THREADS = "the number of cores and threads"
DEVICES = "the number of CPU devices"
ONE_CORE = {"ONE_CORE": "yes", "OMP_NUM_THREADS": "1"}
# What a user may have set, and what would decide the answers.
SETTINGS = (
    "JAX_COMPILATION_CACHE", "JAX_ENABLE_COMPILATION_CACHE", "JAX_PERSISTENT_CACHE",
    "TORCHINDUCTOR_", "TORCH_COMPILE_", "XLA_FLAGS",
)  # fmt: skip
# The same on each machine; two threads are two on a machine with one core too.
OURS = {"JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "2", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
TWO_DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
CHANGES = (*EDITS, *ARGUMENTS, OPTION, THREADS, DEVICES, FOLDER_OF_CACHE)


@dataclass(frozen=True, repr=False)
class CacheTable:
    """A table of changes by frameworks.

    Attributes:
        cells: by framework and change: ``"hit"``: the compiled program came from the disk;
            ``"partly"``: Inductor's code did, and AOTAutograd worked again; ``"miss"``: everything
            was compiled again. PyTorch has one CPU device, so it has no such change.
    """

    cells: dict[str, dict[str, str]]

    def rows(self) -> list[tuple[str, ...]]:
        """One tuple of texts per change."""
        return [
            (change, *(found.get(change, "—") for found in self.cells.values()))
            for change in CHANGES
        ]

    def _table(self) -> Table:
        return Table(("changed", *(TITLES[name] for name in self.cells)), self.rows())

    def __str__(self) -> str:
        return str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table whose misses are marked."""
        return self._table().html("ledger purity", cell=_cell)


def _cell(_: str, word: str) -> str:
    return f'<td class="{"wrong" if word == "miss" else "right"}">{word}</td>'


def cache_table(names: Sequence[str] = FRAMEWORKS) -> CacheTable:
    """Compile a program in fresh processes, with one thing changed at a time.

    Args:
        names: the frameworks, ``"jax"`` and ``"torch"``.

    Raises:
        subprocess.CalledProcessError: one of the processes failed.
        RuntimeError: one hung, or found something in an empty cache.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        found = pool.map(lambda name: _asked(name, Path(folder, name)), names)
        return CacheTable(dict(zip(names, found, strict=True)))


def _asked(framework: str, cache: Path) -> dict[str, str]:
    cache.mkdir()
    first = _process(framework, "nothing", cache)
    if first != {"nothing": "miss"}:
        raise RuntimeError(f"an empty cache said {first}")
    moved = Path(shutil.copytree(cache, cache.with_name(f"{framework}-moved")))
    found = _process(framework, "all", cache)
    others = {FOLDER_OF_CACHE: (moved, {}), THREADS: (cache, ONE_CORE)}
    if framework == "jax":
        others[DEVICES] = cache, TWO_DEVICES
    for change, (folder, settings) in others.items():
        found |= {change: _process(framework, "nothing", folder, **settings)["nothing"]}
    return found


def _process(framework: str, what: str, cache: Path, **settings: str) -> dict[str, str]:
    """Run ``cached.py`` in a process with this cache and these environment variables."""
    command = [sys.executable, "-P", "-W", "ignore", "-m", "jaxvstorch.examples.aot.cached"]
    kept = {name: text for name, text in os.environ.items() if not name.startswith(SETTINGS)}
    environment = kept | OURS | {"CACHE_FOLDER": str(cache)} | settings
    try:
        done = subprocess.run(
            [*command, framework, what],
            env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=HANGING,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{framework} did not answer in {HANGING:g} s: {what}") from error
    found: dict[str, str] = json.loads(done.stdout)
    return found
