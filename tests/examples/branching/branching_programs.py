"""What a program of a branch does, as each framework tells."""

import numpy as np

X = np.arange(4, dtype=np.float32)


def operations_after_vmap(torch, function, *args) -> list[str]:
    """What PyTorch's graph of a function does once vmap has been worked out."""
    from torch._dynamo.backends.common import aot_autograd

    seen: list[str] = []

    def note(graph, inputs):
        seen.extend(str(n.target) for n in graph.graph.nodes if n.op == "call_function")
        return graph.forward

    with torch.no_grad():
        backend = aot_autograd(fw_compiler=note)
        torch.compile(function, backend=backend, fullgraph=True)(*args)
    return seen
