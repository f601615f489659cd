"""Try some libraries that have not been released for long with the frameworks installed here.

Each is installed alone, without what it depends on but what is named below, into a folder that is
gone afterwards; then a few lines run. ``book/tried.json`` keeps what came of it.
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parents[1] / "book/tried.json"


class Trial(NamedTuple):
    """What is tried of a library: in words, in code, and what it needs besides a framework."""

    words: str
    code: str
    needs: tuple[str, ...] = ()


TRIALS = {
    "dm-haiku": Trial(
        "a linear layer under `jax.jit`",
        "import haiku as hk\nimport jax\n"
        "layer = hk.transform(lambda x: hk.Linear(2)(x))\nx = jax.numpy.ones((1, 3))\n"
        "jax.jit(layer.apply)(layer.init(jax.random.key(0), x), None, x)",
        ("jmp", "tabulate"),
    ),
    "jaxopt": Trial(
        "a minimum by `GradientDescent`",
        "import jaxopt\nimport jax.numpy as jnp\n"
        "jaxopt.GradientDescent(lambda x: ((x - 1) ** 2).sum()).run(jnp.zeros(2))",
    ),
    "jraph": Trial(
        "`segment_softmax`",
        "import jraph\nimport jax.numpy as jnp\n"
        "jraph.segment_softmax(jnp.ones(3), jnp.array([0, 0, 1]), 2)",
    ),
    "objax": Trial(
        "a linear layer under `objax.Jit`",
        "import objax\nimport jax.numpy as jnp\nobjax.Jit(objax.nn.Linear(3, 2))(jnp.ones((1, 3)))",
        ("parameterized", "pillow", "protobuf", "six", "tensorboard", "tqdm"),
    ),
    "torchtext": Trial("`import torchtext`", "import torchtext", ("requests", "tqdm")),
}


def outcome(name: str, trial: Trial) -> dict[str, str]:
    """The library's version, what was tried, and the error's last line or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        install = (sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:")
        subprocess.run([*install, "--no-deps", "--target", folder, name, *trial.needs], check=True)
        (found,) = Path(folder).glob(f"{name.replace('-', '_')}-*.dist-info")
        # The folder comes last: what is installed here goes before what came along.
        lines = f"import sys\nsys.path.append({folder!r})\n{trial.code}\n"
        environment = os.environ | {"JAX_TRACEBACK_FILTERING": "off"}
        done = subprocess.run(
            [sys.executable, "-c", lines], capture_output=True, text=True, env=environment
        )
    said = done.stderr.strip().splitlines() or [
        f"ended with {done.returncode}"
    ]  # killed in silence
    error = said[-1] if done.returncode else ""
    number = found.name.removesuffix(".dist-info").rpartition("-")[2]
    return {"version": number, "tried": trial.words, "error": error.replace(f"{folder}/", "")}


def main() -> None:
    """Try all, and write what came of it."""
    found = {name: outcome(name, trial) for name, trial in TRIALS.items()}
    frameworks = {name: version(name) for name in ("jax", "torch")}
    text = {"tried": str(date.today()), "with": frameworks, "found": found}
    FILE.write_text(f"{json.dumps(text, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
