"""What PyTorch runs for a batch."""


def torch_operations(function, *arguments) -> list[str]:
    """The operations of one call, in order, after vmap has replaced them."""
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(function)(*arguments).graph
    return [str(node.target) for node in graph.nodes if node.op == "call_function"]
