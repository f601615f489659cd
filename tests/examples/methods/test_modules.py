"""What ``torch.compile`` makes of a module, and what of it is not guarded."""

import copy

import pytest
from method_programs import changed, programs

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


@pytest.fixture
def x(torch):
    return torch.arange(4.0)


@pytest.fixture
def scaled(torch):
    """A class of modules with a Python attribute and a parameter."""

    class Scaled(torch.nn.Module):
        def __init__(self, scale=2.0):
            super().__init__()
            self.scale = scale
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x):
            return self.scale * self.weight * x

        def other(self, x):
            return self.weight + x

    return Scaled


def test_a_float_becomes_an_input_and_an_int_of_a_module_does_not(torch, scaled, x) -> None:
    for values, expected in (
        ((2.0, 10.0, 11.0, 12.0), [1, 1, 0, 0]),
        ((2, 10, 11, 12), [1, 1, 1, 1]),
    ):
        torch.compiler.reset()
        module = scaled()
        compiled = torch.compile(module, backend="eager", fullgraph=True)
        assert changed(torch, module, "scale", values, compiled, x) == expected


def test_an_int_that_counts_up_ends_in_eager_mode(torch, scaled, x) -> None:
    module = scaled(0)
    compiled = torch.compile(module, backend="eager")
    found = changed(torch, module, "scale", range(12), compiled, x)
    limit = torch._dynamo.config.recompile_limit
    assert found == [1] * limit + [0] * (12 - limit)
    assert compiled(x)[1] == 11
    torch.compiler.reset()
    strict = torch.compile(scaled(0), backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
        changed(torch, strict, "scale", range(12), strict, x)


def test_parameters_are_inputs(torch, scaled, x) -> None:
    module = scaled()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    compiled(x)
    with torch.no_grad():
        module.weight.fill_(3.0)
    assert programs(torch, compiled, (x,)) == [0]
    module.weight = torch.nn.Parameter(torch.full((4,), 5.0))
    assert programs(torch, compiled, (x,)) == [0]
    assert compiled(x)[1] == 10
    module.weight.requires_grad_(False)
    assert programs(torch, compiled, (x,)) == [1]


def test_the_mode_of_training_is_guarded_where_it_is_read(torch, x) -> None:
    class Mode(torch.nn.Module):
        def forward(self, x):
            return x if self.training else 2 * x

    module = Mode()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    assert programs(torch, compiled, (x,)) == [1]
    compiled.eval()
    assert not module.training
    assert programs(torch, compiled, (x,)) == [1]
    module.train()
    assert programs(torch, compiled, (x,)) == [0]


def test_torch_compile_wraps_a_module_and_compile_does_not(torch, scaled, x) -> None:
    module = scaled()
    wrapped = torch.compile(module, backend="eager")
    assert list(wrapped.state_dict()) == ["_orig_mod.weight"]
    assert wrapped._orig_mod is module
    assert not isinstance(wrapped, scaled)
    assert isinstance(wrapped, torch.nn.Module)
    wrapped.scale = 7.0
    assert module.scale == 7.0
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\).*_orig_mod\.weight"):
        scaled().load_state_dict(wrapped.state_dict())
    scaled().load_state_dict(wrapped._orig_mod.state_dict())
    assert type(copy.deepcopy(wrapped)) is type(wrapped)

    assert module.compile(backend="eager") is None
    assert list(module.state_dict()) == ["weight"]
    assert type(module) is scaled
    assert programs(torch, module, (x,), (x,))[1] == 0


def test_compile_in_place_compiles_calls(torch, scaled, x) -> None:
    module = scaled()
    module.compile(backend="eager")
    assert programs(torch, module, (x,), (x,)) == [1, 0]


def test_other_methods_of_a_compiled_module_run_as_they_are(torch, scaled, x) -> None:
    wrapped = torch.compile(scaled(), backend="eager")
    assert programs(torch, wrapped.other, (x,)) == [0]
    compiled = torch.compile(scaled().other, backend="eager")
    assert programs(torch, compiled, (x,)) == [1]


def test_a_hook_of_an_inner_module_that_comes_later_is_not_seen(torch, scaled, x) -> None:
    outer = torch.nn.Sequential(scaled())
    compiled = torch.compile(outer, backend="eager", fullgraph=True)
    compiled(x)
    outer[0].register_forward_hook(lambda module, args, output: output + 100)
    assert outer(x)[1] == 102
    assert compiled(x)[1] == 2
    torch.compiler.reset()
    assert compiled(x)[1] == 102


def test_a_setting_has_hooks_guarded(torch, scaled, x) -> None:
    outer = torch.nn.Sequential(scaled())
    with torch._dynamo.config.patch(skip_nnmodule_hook_guards=False):
        compiled = torch.compile(outer, backend="eager", fullgraph=True)
        compiled(x)
        outer[0].register_forward_hook(lambda module, args, output: output + 100)
        assert compiled(x)[1] == 102


@pytest.mark.parametrize("own", [False, True])
def test_compile_in_place_leaves_pytorch_s_own_layers_as_they_are(torch, own) -> None:
    class Own(torch.nn.Sequential):
        def forward(self, x):
            return super().forward(x)

    for layer in (torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.Linear(4, 4))):
        torch.compiler.reset()
        model = Own(layer) if own else layer
        model.compile(backend="eager")
        x = torch.ones(4)
        assert programs(torch, model, (x,)) == [int(own)]
        torch.compiler.reset()
        assert programs(torch, torch.compile(layer, backend="eager"), (x,)) == [1]


def test_fullgraph_says_that_nothing_was_compiled(torch) -> None:
    layer = torch.nn.Linear(4, 4)
    layer.compile(backend="eager", fullgraph=True)
    with pytest.raises(RuntimeError, match="found no compiled frames"):
        layer(torch.ones(4))


def test_a_hook_of_a_wrapped_layer_of_pytorch_is_not_seen(torch) -> None:
    layer = torch.nn.Tanh()
    compiled = torch.compile(layer, backend="eager")
    x = torch.zeros(1)
    compiled(x)
    layer.register_forward_hook(lambda module, args, output: output + 100)
    assert (layer(x), compiled(x)) == (100, 0)


def test_a_hook_of_the_compiled_module_itself_is_seen(torch, scaled, x) -> None:
    module = scaled()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    compiled(x)
    module.register_forward_hook(lambda module, args, output: output + 100)
    assert compiled(x)[1] == 102


def test_a_new_forward_of_the_object_is_seen(torch, scaled, x) -> None:
    module = scaled()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    compiled(x)
    module.forward = lambda x: -x
    assert (compiled(x)[1], module(x)[1]) == (-1, -1)
