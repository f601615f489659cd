"""Compiles a graph with Inductor, and collects what it reports about its kernels.

Inductor has no public interface for this; ``proven`` names the versions it was tested with.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from torch import fx

from jaxvstorch._frameworks.private import torch as private


@dataclass
class Compilation:
    """What Inductor made of one graph.

    Attributes:
        code: the code it wrote: one text, or several if it also compiled a backward graph.
        nodes: by name, each operation of Inductor's graph: its own name, and the names of the nodes
            of the given graph that it came from.
        kernels: by kernel, the names of the nodes fused into it.
    """

    code: list[str] = field(default_factory=list)
    nodes: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    kernels: dict[str, list[str]] = field(default_factory=dict)


def compile(graph: fx.GraphModule, inputs: list[Any], own_options: dict[str, Any]) -> Compilation:
    """Compile a graph with Inductor's options; it does not run."""
    compilation = Compilation()

    def look(lowered: fx.Graph) -> None:
        for node in lowered.nodes:
            if node.op == "call_function":
                compilation.nodes[node.name] = (_name(node), tuple(_origins(node)))

    def keep(code: str) -> None:
        compilation.code.append(code)
        compilation.kernels.update(private.node_info_of_kernels)

    options = {
        **own_options,
        "trace.provenance_tracking_level": 1,
        "fx_graph_cache": False,  # code from the cache comes without its provenance
        "post_grad_custom_post_pass": look,
    }
    metrics = private.inductor_metrics
    counts = metrics.get_metric_fields() if hasattr(metrics, "get_metric_fields") else {}
    before = {name: copy.copy(getattr(metrics, name)) for name in counts}
    try:
        with (
            private.inductor_config.patch(options),
            mock.patch.object(private.GraphLowering, "save_output_code", keep),
        ):
            private.compile_fx(copy.deepcopy(graph), list(inputs))
    finally:
        for name, value in before.items():
            setattr(metrics, name, value)
    return compilation


def _name(node: fx.Node) -> str:
    return str(getattr(node.target, "_opname", getattr(node.target, "__name__", node.target)))


def _origins(node: fx.Node) -> Iterator[str]:
    for source in node.meta.get("from_node", ())[-1:]:
        yield from _innermost(source)


def _innermost(source: Any) -> Iterator[str]:
    inner = getattr(source, "from_node", None)
    if inner:
        yield from _innermost(inner[-1])
    yield source.name
