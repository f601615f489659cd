"""Compiles the graphs of a function, and reads what Inductor made of them."""

from collections.abc import Iterator
from typing import Any

from torch import fx

from jaxvstorch._explain.explanation_data import Compiled, Kernel, Stage
from jaxvstorch._explain.observations import Location, letter
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.torch import inductor
from jaxvstorch._explain.torch.inductor import Compilation
from jaxvstorch._explain.torch.program import code, stack
from jaxvstorch._messages import tidy


def compile(
    graphs: list[fx.GraphModule],
    inputs: list[list[Any]],
    shown_files: ShownFiles,
    backend: tuple[str, dict[str, Any]],
) -> Compiled:
    """Compile every graph; none runs. What could not be compiled is named in ``missing``.

    Args:
        graphs: what Dynamo made.
        inputs: of each graph.
        shown_files: whose lines to name.
        backend: its name, and its options if it is Inductor.
    """
    name, options = backend
    stages, kernels, missing = [], [], []
    before = after = 0
    for number, (graph, given) in enumerate(zip(graphs, inputs, strict=True)):
        program = letter(number)
        stages.append(Stage(program, "FX graph", code(graph)))
        before += sum(node.op.startswith("call_") for node in graph.graph.nodes)
        if name != "inductor":
            missing.append(
                f"What the backend {name!r} makes of program {program}: it reports nothing."
            )
            continue
        try:
            compilation = inductor.compile(graph, given, options)
        except Exception as error:  # for example without a C++ compiler; the rest still holds
            missing.append(f"Inductor's code of program {program}: {_short(error)}")
            continue
        after += len(compilation.nodes)
        stages += [Stage(program, "Inductor's code", code) for code in compilation.code]
        kernels += list(_kernels(program, graph, compilation, shown_files))
    return Compiled(
        stages=tuple(stages),
        kernels=tuple(kernels),
        operations_before=before,
        operations_after=None if missing else after,
        missing=tuple(missing),
    )


def _short(error: Exception) -> str:
    first = tidy(str(error)).strip().splitlines()[:1]
    return ": ".join([type(error).__name__, *first])


def _kernels(
    program: str, graph: fx.GraphModule, compilation: Compilation, shown_files: ShownFiles
) -> Iterator[Kernel]:
    lines = {node.name: stack(node, shown_files.has)[-1:] for node in graph.graph.nodes}
    for name, nodes in compilation.kernels.items():
        known = [compilation.nodes[node] for node in nodes if node in compilation.nodes]
        locations: list[Location] = [
            p for _, origins in known for o in origins for p in lines.get(o, ())
        ]
        operations = tuple(operation for operation, _ in known)
        yield Kernel(
            program, name.rpartition(":")[0] or name, operations, tuple(dict.fromkeys(locations))
        )
