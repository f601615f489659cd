"""Imported by the server that fresh processes are forked from: what PyTorch need not do again.

To compile for a CPU, PyTorch builds and runs small programs that tell which vector instructions
the processor has. It does so once per machine and keeps the answers on disk, so they are no part
of what one function costs.
"""

import gc
import importlib
import time


def set_up() -> float:
    """Find out the vector instructions now, and return how many seconds it took.

    Without a C++ compiler it fails; compiling itself will say so.
    """
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    start = time.perf_counter()
    try:
        pick_vec_isa()
    except Exception as error:
        print(f"PyTorch could not find out the processor's vector instructions: {error}")
    return time.perf_counter() - start


gc.disable()  # looking for garbage is a quarter of what these imports take, and finds none
for module in ("torch._dynamo", "torch._inductor.compile_fx"):
    importlib.import_module(module)
gc.enable()
SECONDS = set_up()
