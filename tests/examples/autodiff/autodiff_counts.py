"""What a derivative costs, counted: operations of XLA, and matrix products of eager PyTorch."""


def xla(jax, function, *arguments):
    """The compiled program of one function."""
    return jax.jit(function).lower(*arguments).compile()


def xla_flops(jax, function, *arguments) -> float:
    """The floating-point operations of it, as XLA counts them; those in a loop count once."""
    return xla(jax, function, *arguments).cost_analysis()["flops"]


def torch_flops(function, *arguments) -> int:
    """The floating-point operations of the matrix products of one call."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        function(*arguments)
    return counter.get_total_flops()


def nested(grad, function, order: int):
    """``grad`` of ``grad`` of ``function``."""
    for _ in range(order):
        function = grad(function)
    return function


def torch_operations(function, *arguments) -> list[str]:
    """What PyTorch's graph of one call calls, after ``torch.func`` has been worked out."""
    from torch.fx.experimental.proxy_tensor import make_fx

    nodes = make_fx(function)(*arguments).graph.nodes
    return [str(node.target) for node in nodes if node.op == "call_function"]
