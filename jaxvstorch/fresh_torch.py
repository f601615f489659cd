"""Imported by the server that fresh processes are forked from: what PyTorch need not do again.

To compile for a CPU, PyTorch builds and runs small programs that tell which vector instructions
the processor has. It does so once per machine and keeps the answers on disk, so they are no part
of what one function costs.
"""

import importlib

from torch._inductor.cpu_vec_isa import pick_vec_isa


def set_up() -> None:
    """Find out the vector instructions now; without a compiler, compiling itself will say so."""
    try:
        pick_vec_isa()
    except Exception as error:
        print(f"PyTorch could not find out the processor's vector instructions: {error}")


for module in ("torch._dynamo", "torch._inductor.compile_fx"):
    importlib.import_module(module)
set_up()
