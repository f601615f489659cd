"""What ``torch.compile`` guards of ``self``."""

import functools

import pytest
from method_programs import Scaler, changed, programs

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


@pytest.fixture
def x(torch):
    return torch.arange(4.0)


def test_a_changed_attribute_is_compiled_again_and_then_becomes_an_input(torch, x) -> None:
    scaler = Scaler(2.0)
    compiled = torch.compile(scaler.apply, backend="eager", fullgraph=True)
    found = changed(torch, scaler, "scale", (2.0, 2.0, 10.0, 11.0, 12.0), compiled, x)
    assert found == [1, 0, 1, 0, 0]
    assert compiled(x)[1] == 12


def test_a_tensor_attribute_is_an_input_from_the_start(torch, x) -> None:
    scaler = Scaler(None)
    compiled = torch.compile(scaler.apply, backend="eager", fullgraph=True)
    values = [torch.tensor(value) for value in (2.0, 10.0, 11.0)]
    assert changed(torch, scaler, "scale", values, compiled, x) == [1, 0, 0]
    assert compiled(x)[1] == 11


def test_objects_share_the_programs_of_a_compiled_method(torch, x) -> None:
    compiled = torch.compile(Scaler.apply, backend="eager")
    calls = [(Scaler(float(scale)), x) for scale in (2, 2, 3, 4, 5, 2)]
    assert programs(torch, compiled, *calls) == [1, 0, 1, 0, 0, 0]


def test_a_partial_of_the_method_is_guarded_too(torch, x) -> None:
    scaler = Scaler(2.0)
    compiled = torch.compile(functools.partial(Scaler.apply, scaler), backend="eager")
    compiled(x)
    scaler.scale = 10.0
    assert compiled(x)[1] == 10


def test_a_string_attribute_is_compiled_once_for_each_value(torch, x) -> None:
    class Kind:
        kind = ""

        def apply(self, x):
            return x + len(self.kind)

    kind = Kind()
    compiled = torch.compile(kind.apply, backend="eager")
    assert changed(torch, kind, "kind", ("a", "b", "c", "a"), compiled, x) == [1, 1, 1, 0]


def test_a_bool_attribute_is_compiled_once_for_each_value(torch, x) -> None:
    class Switch:
        def apply(self, x):
            return 2 * x if self.on else -x

    switch = Switch()
    compiled = torch.compile(switch.apply, backend="eager")
    assert changed(torch, switch, "on", (False, True, False), compiled, x) == [1, 1, 0]


@pytest.mark.parametrize(
    "read",
    [
        lambda self: self.scale,
        lambda self: vars(self)["scale"],
        lambda self: getattr(self, "scale"),  # noqa: B009  another way on purpose
        lambda self: self.table["scale"],
        lambda self: self.as_property,
        lambda self: self.scale if hasattr(self, "extra") else 2.0,
        lambda self: self.of_class,
    ],
    ids=["attribute", "vars", "getattr", "dict", "property", "hasattr", "class attribute"],
)
def test_whichever_way_it_is_read_a_change_is_seen(torch, x, read) -> None:
    class Many(Scaler):
        of_class = 2.0
        as_property = property(lambda self: self.scale)

        def apply(self, x):
            return read(self) * x

    scaler = Many(2.0)
    scaler.table = {"scale": 2.0}
    compiled = torch.compile(scaler.apply, backend="eager", fullgraph=True)
    assert compiled(x)[1] == 2
    Many.of_class = scaler.scale = scaler.table["scale"] = 10.0
    scaler.extra = True
    assert compiled(x)[1] == 10


def test_what_a_method_writes_into_self_is_there_after_the_call(torch, x) -> None:
    class Counter:
        count, last = 0, None

        def apply(self, x):
            self.count += 1
            self.last = x.sum()
            return x * self.count

    counter = Counter()
    compiled = torch.compile(counter.apply, backend="eager", fullgraph=True)
    found = programs(torch, compiled, *[(x,)] * 4)
    assert (counter.count, counter.last) == (4, 6)
    assert found[0] == 1
    assert found[-1] == 0  # the count has become an input


def test_a_missing_attribute_is_another_error_with_fullgraph(torch, x) -> None:
    scaler = Scaler(2.0)
    del scaler.scale
    with pytest.raises(AttributeError, match="has no attribute 'scale'"):
        torch.compile(Scaler.apply, backend="eager")(scaler, x)
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="has no attribute 'scale'"):
        torch.compile(Scaler.apply, backend="eager", fullgraph=True)(scaler, x)
