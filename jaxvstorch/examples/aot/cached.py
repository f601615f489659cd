"""A process that asks a compiler's cache on disk: ``python -m jaxvstorch.examples.aot.cached``.

It compiles ``PROGRAM``, each time with one thing changed, and prints as JSON what the cache said.
``caches.py`` starts it.
"""

import json
import os
import re
import runpy
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# Inductor calls a library for this product, so a miss starts no C++ compiler.
PROGRAM = {
    "jax": """\
import numpy as np

table = np.arange(16, dtype=np.float32).reshape(4, 4)

def f(x, gain):
    y = 2.0 * (x.T @ x)
    return y + gain * table
""",
    "torch": """\
import torch

table = torch.arange(16, dtype=torch.float32).reshape(4, 4)

def f(x, gain):
    y = torch.addmm(table, x.T, x, alpha=2.0, beta=gain)
    return y
""",
}
# What changes in the text: a pattern, and what takes its place.
EDITS = {
    "nothing": (r"$^", ""),
    "a comment above the function": (r"def ", "# As before.\n\ndef "),
    "the name of an argument": (r"\bx\b", "values"),
    "the name of a local variable": (r"\by\b", "result"),
    "the name of the function": (r"def f", "def g"),
    "a constant in the function": (r"2\.0", "3.0"),
    "the numbers in an array that it captures": (r"arange\(16", "arange(1, 17"),
}
DTYPE = "the dtype of the arrays"
ARGUMENTS = {
    "the value of a Python argument": (np.eye(4, dtype=np.float32), 0.25),
    "the shape of an argument": (np.eye(5, 4, dtype=np.float32), 0.5),
    DTYPE: (np.eye(4, dtype=np.float16), 0.5),
}
UNCHANGED = (np.eye(4, dtype=np.float32), 0.5)
FOLDER_OF_CACHE = "the folder of the cache"
OPTION = "an option of the compiler"


def function(framework: str, edit: str = "nothing") -> Callable[..., Any]:
    """The program's function, from a file in a folder of its own, with one thing edited."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        changed = ("float32", "float16") if edit == DTYPE else EDITS[edit]
        path.write_text(re.sub(*changed, PROGRAM[framework]), encoding="utf-8")
        names = runpy.run_path(str(path))
    found: Callable[..., Any] = names.get("f") or names["g"]
    return found


def ask_jax(edit: str = "nothing", arguments: Any = UNCHANGED, **options: Any) -> str:
    """Compile once, and return what JAX's cache says."""
    import jax

    events: list[str] = []

    def note(event: str, **_: str | int) -> None:
        events.append(event)

    program = jax.jit(function("jax", edit), **options)
    jax.monitoring.register_event_listener(note)
    program(*arguments)
    jax.monitoring.unregister_event_listener(note)
    return "hit" if "/jax/compilation_cache/cache_hits" in events else "miss"


def ask_torch(edit: str = "nothing", arguments: Any = UNCHANGED, **options: Any) -> str:
    """Compile once, and return what PyTorch's two caches say: AOTAutograd's and Inductor's."""
    import torch
    from torch._dynamo.utils import counters

    torch.compiler.reset()
    counters.clear()
    x, gain = arguments
    torch.compile(function("torch", edit), **options)(torch.from_numpy(x), gain)
    if counters["aot_autograd"]["autograd_cache_hit"]:
        return "hit"
    return "partly" if counters["inductor"]["fxgraph_cache_hit"] else "miss"


OPTIONS: dict[str, dict[str, Any]] = {
    "jax": {"compiler_options": {"xla_cpu_enable_fast_math": True}},
    "torch": {"options": {"epilogue_fusion": False}},
}


def ask_all(framework: str) -> dict[str, str]:
    """Every change that a running process can make."""
    ask = {"jax": ask_jax, "torch": ask_torch}[framework]
    found = {edit: ask(edit) for edit in EDITS}
    for change, arguments in ARGUMENTS.items():
        found[change] = ask(DTYPE if change == DTYPE else "nothing", arguments)
    return found | {OPTION: ask(**OPTIONS[framework])}


def main(framework: str, what: str) -> None:
    """Ask for ``what``: one change, or ``all``."""
    if "ONE_CORE" in os.environ and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if framework == "jax":
        import jax

        jax.config.update("jax_compilation_cache_dir", os.environ["CACHE_FOLDER"])
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    else:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.environ["CACHE_FOLDER"]
    ask = {"jax": ask_jax, "torch": ask_torch}[framework]
    print(json.dumps(ask_all(framework) if what == "all" else {what: ask()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
