"""A program as a graph (torch.fx, jaxpr).

``jax.make_jaxpr`` returns the program as equations. A transformation is an interpreter: a loop over
the equations that binds each primitive, or something else in its place.
"""

PAGE = "tracing"
NAMES = (
    "torch.fx.symbolic_trace",
    "torch.fx.GraphModule",
    "torch.fx.Graph",
    "torch.fx.Node",
    "torch.fx.Tracer",
    "torch.fx.Proxy",
    "torch.fx.replace_pattern",
    "torch.fx.Interpreter",
    "jax.make_jaxpr",
    "jax.core.Tracer",
)


def with_torch():
    import torch

    def f(x):
        return torch.sin(x) + x

    graph = torch.fx.symbolic_trace(f)
    for node in graph.graph.nodes:
        if node.target is torch.sin:
            node.target = torch.cos
    graph.recompile()
    return graph(torch.tensor([1.0, 2.0])), sum(n.op == "call_function" for n in graph.graph.nodes)


def with_jax():
    import jax
    import jax.numpy as jnp

    def f(x):
        return jnp.sin(x) + x

    closed = jax.make_jaxpr(f)(jnp.ones(2))

    def interpret(x):
        values = dict(zip(closed.jaxpr.invars, [x], strict=True))
        for equation in closed.jaxpr.eqns:
            inputs = [values[var] for var in equation.invars]  # literals aside
            primitive = jax.lax.cos_p if equation.primitive is jax.lax.sin_p else equation.primitive
            (values[equation.outvars[0]],) = [primitive.bind(*inputs, **equation.params)]
        return values[closed.jaxpr.outvars[0]]

    return interpret(jnp.array([1.0, 2.0])), len(closed.jaxpr.eqns)
