"""Pin every package of each image, by uv, in ``docker/requirements/FLAVOUR.txt``.

One environment must never hold two CUDA stacks: where an extra resolves to a package of another
one, this ends with an error and changes nothing.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docker/requirements"
# What the wheel of PyTorch with CUDA wants, and the one without does not.
CUDA_OF_TORCH = re.compile(r"(nvidia|cuda|triton)\b")
# By flavour: what must not come up in it. A package of CUDA 13 may have no number in its name.
WRONG = {
    "cpu": re.compile(r"jax-cuda|nvidia"),
    "cuda12": re.compile(r"nvidia-(?!\S+-cu12==)|-cuda13|cuda-toolkit"),
    "cuda13": re.compile(r"-cu12|-cuda12"),
    "tpu": re.compile(r"jax-cuda|nvidia"),
}


def resolve(flavour: str) -> list[str]:
    """Every package of a flavour with its version, on Linux with Python 3.11."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if flavour == "cuda12":  # its torch is an older one, which wants an older Triton
        own = ("torch==", "triton==")
        constraints = [line for line in constraints if not line.startswith(own)]
    done = subprocess.run(
        ["uv", "pip", "compile", "--quiet", "--no-annotate", "--no-header",
         "--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_31",
         "--group", "image", *(["--extra", flavour] if flavour != "cpu" else []),
         "--constraint", "-", "pyproject.toml"],
        cwd=ROOT, input="\n".join(constraints), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    found = done.stdout.splitlines()
    if flavour in ("cpu", "tpu"):
        found = [line for line in found if not CUDA_OF_TORCH.match(line)]
        found = [f"{line}+cpu" if line.startswith("torch==") else line for line in found]
    else:  # "==" would be content with 2.13.0+cpu, where such a wheel lies in the wheelhouse
        found = [
            line.replace("==", "===") if line.startswith("torch==") else line for line in found
        ]
    return found


def main() -> None:
    """Resolve all, and write only when all are right."""
    resolved = {flavour: resolve(flavour) for flavour in WRONG}
    for flavour, lines in resolved.items():
        for line in lines:
            if WRONG[flavour].search(line):
                sys.exit(f"{flavour} would hold {line}, of another CUDA stack")
    for flavour, lines in resolved.items():
        head = "# Every package of this image; `nox -s requirements` writes it."
        (FOLDER / f"{flavour}.txt").write_text("\n".join([head, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
