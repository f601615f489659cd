"""Imported by the server that fresh processes are forked from: what PyTorch need not do again.

To compile for a CPU, PyTorch builds and runs small programs that tell which vector instructions
the processor has. It does so once per machine and keeps the answers on disk, so they are no part
of what one function costs.
"""

import gc
import time

from jaxvstorch._frameworks.private import torch as private


def set_up() -> float:
    """Find out the vector instructions now, and return how many seconds it took.

    Without a C++ compiler it fails; compiling itself will say so.
    """
    start = time.perf_counter()
    try:
        private.pick_vec_isa()
    except Exception as error:
        print(f"PyTorch could not detect the processor's vector instructions: {error}")
    return time.perf_counter() - start


gc.disable()  # garbage collection is a quarter of the time of these imports, and finds nothing
private.imported("compile_lock", "compile_fx", "pick_vec_isa")
gc.enable()
SECONDS = set_up()
