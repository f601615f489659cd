"""What a program of a branch does, as each framework tells."""


def primitives(j, function, *args) -> list[str]:
    """What the jaxpr of a function does, without what it does inside its branches."""
    return [str(eqn.primitive) for eqn in j.jax.make_jaxpr(function)(*args).eqns]


def operations(t, function, *args) -> list[str]:
    """What PyTorch's graph of a function does once vmap has been worked out."""
    from torch._dynamo.backends.common import aot_autograd

    seen: list[str] = []

    def note(graph, inputs):
        seen.extend(str(n.target) for n in graph.graph.nodes if n.op == "call_function")
        return graph.forward

    with t.torch.no_grad():
        backend = aot_autograd(fw_compiler=note)
        t.torch.compile(function, backend=backend, fullgraph=True)(*args)
    return seen
