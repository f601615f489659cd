"""What the modes of ``torch.compile`` are, and what compiling one block costs in programs."""

import pytest
from method_programs import operations, programs

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


def test_a_mode_is_a_name_for_options_of_inductor(torch) -> None:
    from torch._inductor import list_mode_options

    modes = list_mode_options()
    graphs, tuned = "triton.cudagraphs", "max_autotune"
    assert modes["default"] == {}
    assert modes["reduce-overhead"] == {graphs: True}
    assert modes["max-autotune-no-cudagraphs"] == {tuned: True, "coordinate_descent_tuning": True}
    assert modes["max-autotune"] == {**modes["max-autotune-no-cudagraphs"], graphs: True}


def test_a_mode_that_is_none_is_refused_and_so_are_both(torch) -> None:
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast, should be one of"):
        torch.compile(lambda x: x, mode="fast")
    with pytest.raises(RuntimeError, match="both can't be specified at the same time"):
        torch.compile(lambda x: x, mode="default", options={"max_autotune": True})


def test_another_backend_does_not_look_at_the_mode(torch) -> None:
    assert torch.compile(torch.sin, backend="eager", mode="fast")(torch.zeros(1)) == 0


def counted(torch, compile_it, x):
    """The operations of each graph that is made in one call."""
    sizes = []

    def keep(graph, inputs):
        sizes.append(operations(graph))
        return graph

    compile_it(keep)(x)
    return sizes


@pytest.fixture
def model(torch):
    """A stack of eight blocks of three operations."""

    class Block(torch.nn.Module):
        def __init__(self, index):
            super().__init__()
            self.linear, self.index = torch.nn.Linear(4, 4), index

        def forward(self, x):
            return x + torch.tanh(self.linear(x))

    class Numbered(Block):
        def forward(self, x):
            return x + torch.tanh(self.linear(x)) * self.index

    return {
        kind: torch.nn.Sequential(*(block(i) for i in range(8)))
        for kind, block in (("alike", Block), ("numbered", Numbered))
    }


def test_a_whole_model_is_one_graph_with_all_its_blocks(torch, model) -> None:
    sizes = counted(
        torch, lambda keep: torch.compile(model["alike"], backend=keep), torch.ones(2, 4)
    )
    assert sizes == [24]


def test_compiled_one_by_one_alike_blocks_share_one_graph(torch, model) -> None:
    def each(kind):
        def compile_it(keep):
            for block in model[kind]:
                block.compile(backend=keep, fullgraph=True)
            return model[kind]

        return compile_it

    x = torch.ones(2, 4)
    with torch.no_grad():
        assert counted(torch, each("alike"), x) == [3]
        assert counted(torch, each("numbered"), x) == [4] * 8


def test_blocks_that_need_gradients_take_one_graph_more(torch, model) -> None:
    def each(keep):
        for block in model["alike"]:
            block.compile(backend=keep, fullgraph=True)
        return model["alike"]

    assert counted(torch, each, torch.ones(2, 4)) == [3, 3]  # the first input needs none


def test_a_region_is_in_the_graph_once(torch, in_torch) -> None:
    x, weights = torch.ones(2, 4), torch.ones(8, 4, 4)
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph

    torch.compile(in_torch.blocks_once, backend=keep, fullgraph=True)(x, weights)
    (graph,) = graphs
    calls = [n for n in graph.graph.nodes if "invoke_subgraph" in str(n.target)]
    (body,) = (child for _, child in graph.named_children())
    assert (len(calls), operations(body)) == (8, 3)


def test_a_scan_is_in_the_jaxpr_once(jax, in_jax) -> None:
    ones = jax.numpy.ones
    unrolled = jax.make_jaxpr(in_jax.blocks)(ones((2, 4)), ones((8, 4, 4)))
    scanned = jax.make_jaxpr(in_jax.blocks_once)(ones((2, 4)), ones((8, 4, 4)))
    assert len(scanned.eqns) == 1
    assert len(unrolled.eqns) >= 24


def test_an_inner_jit_is_in_the_jaxpr_once_too(jax) -> None:
    traces = []

    @jax.jit
    def block(x, weight):
        traces.append(1)
        return x + jax.numpy.tanh(x @ weight)

    def blocks(x, weights):
        for weight in weights:
            x = block(x, weight)
        return x

    ones = jax.numpy.ones
    jax.make_jaxpr(blocks)(ones((2, 4)), ones((8, 4, 4)))
    assert len(traces) == 1


def test_programs_count_what_is_compiled(torch) -> None:
    compiled = torch.compile(torch.sin, backend="eager")
    assert programs(torch, compiled, (torch.ones(2),), (torch.ones(2),)) == [1, 0]
