"""What ``jax.jit`` makes of ``self``."""

import dataclasses
import functools

import pytest
from method_programs import ByScale, Scaler


@pytest.fixture
def x(jax):
    return jax.numpy.arange(4.0)


def test_self_is_an_argument_and_no_array(jax, x) -> None:
    with pytest.raises(TypeError, match=r"passed to the function at path self"):
        jax.jit(Scaler.apply)(Scaler(2.0), x)


def test_a_static_self_is_hashed_by_its_identity_and_a_change_is_not_seen(jax, x) -> None:
    apply = jax.jit(Scaler.apply, static_argnums=0)
    scaler = Scaler(2.0)
    assert apply(scaler, x)[1] == 2
    scaler.scale = 10.0
    assert apply(scaler, x)[1] == 2
    assert apply(scaler, x[:2])[1] == 10  # traced anew


def test_equal_objects_share_no_program_without_a_hash_of_their_own(jax, x) -> None:
    apply = jax.jit(Scaler.apply, static_argnums=0)
    for _ in range(2):
        apply(Scaler(2.0), x)
    assert apply._cache_size() == 2


def test_a_bound_method_is_frozen_too_and_compiling_it_again_finds_the_old_program(jax, x) -> None:
    scaler = Scaler(2.0)
    first = jax.jit(scaler.apply)
    first(x)
    scaler.scale = 10.0
    assert first(x)[1] == 2
    assert jax.jit(scaler.apply)(x)[1] == 2  # the two bound methods are equal
    assert jax.jit(functools.partial(Scaler.apply, scaler))(x)[1] == 10
    assert jax.jit(lambda x: scaler.apply(x))(x)[1] == 10


def test_a_partial_is_frozen_as_long_as_it_is_the_same(jax, x) -> None:
    scaler = Scaler(2.0)
    apply = jax.jit(functools.partial(Scaler.apply, scaler))
    apply(x)
    scaler.scale = 10.0
    assert apply(x)[1] == 2


def test_objects_with_equal_hash_share_a_program(jax, x) -> None:
    apply = jax.jit(ByScale.apply, static_argnums=0)
    assert [apply(ByScale(scale), x)[1] for scale in (2.0, 2.0, 3.0)] == [2, 2, 3]
    assert apply._cache_size() == 2


def test_a_changed_hash_is_seen_by_jax_0_12_and_not_by_jax_0_10(jax, x) -> None:
    if (0, 10) < jax.__version_info__[:2] < (0, 12):
        pytest.skip("not looked at in between")
    apply = jax.jit(ByScale.apply, static_argnums=0)
    scaler, seen = ByScale(2.0), []
    for scaler.scale in (2.0, 3.0, 4.0):
        seen.append(int(apply(scaler, x)[1]))
    assert seen == ([2, 3, 4] if jax.__version_info__ >= (0, 12) else [2, 2, 2])


def test_an_equality_that_forgets_an_attribute_gives_another_object_s_result(jax, x) -> None:
    class Forgetful(Scaler):
        def __hash__(self):
            return 0

        def __eq__(self, other):
            return isinstance(other, Forgetful)

    apply = jax.jit(Forgetful.apply, static_argnums=0)
    assert [apply(Forgetful(scale), x)[1] for scale in (2.0, 5.0)] == [2, 2]


def test_equality_without_a_hash_is_refused(jax, x) -> None:
    class Equal(Scaler):
        def __eq__(self, other):
            return self.scale == other.scale

    for scaler in (Equal(2.0), dataclasses.make_dataclass("Data", ["scale"])(2.0)):
        with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
            jax.jit(Scaler.apply, static_argnums=0)(scaler, x)


def test_a_frozen_dataclass_is_hashed_by_its_fields(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    scaler = in_jax.FrozenScaler(2.0)
    other = dataclasses.replace(scaler, scale=10.0)
    before = in_jax.FrozenScaler.apply._cache_size()
    results = [s.apply(x)[1] for s in (scaler, other, in_jax.FrozenScaler(2.0))]
    assert results == [2, 10, 2]
    assert in_jax.FrozenScaler.apply._cache_size() == before + 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        scaler.scale = 3.0


def test_a_frozen_dataclass_that_holds_an_array_cannot_be_hashed(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    with pytest.raises(ValueError, match="unhashable type: 'jaxlib"):
        in_jax.FrozenScaler(x).apply(x)


def test_a_registered_object_is_an_input_and_its_static_fields_are_not(jax, x) -> None:
    traces = []

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        scale: float
        kind: str = dataclasses.field(default="times", metadata={"static": True})

        @jax.jit
        def apply(self, x):
            traces.append((isinstance(self.scale, jax.core.Tracer), self.kind))
            return self.scale * x if self.kind == "times" else self.scale + x

    layer = Layer(2.0)
    seen = [layer.apply(x)[1]]
    layer.scale = 10.0
    seen.append(layer.apply(x)[1])
    layer.kind = "plus"
    seen.append(layer.apply(x)[1])
    assert seen == [2, 10, 11]
    assert traces == [(True, "times"), (True, "plus")]
    assert jax.grad(lambda layer: layer.apply(x).sum())(Layer(2.0)).scale == 6


def test_what_a_registered_object_s_method_writes_into_self_is_lost(jax, x) -> None:
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Counter:
        count: float

        @jax.jit
        def apply(self, x):
            self.count = self.count + 1
            self.last = x.sum()
            return x * self.count

    counter = Counter(0.0)
    assert [counter.apply(x)[1] for _ in range(2)] == [1, 1]
    assert vars(counter) == {"count": 0}


def test_a_registered_field_that_is_no_array_is_refused(jax, x) -> None:
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Named:
        name: str

        @jax.jit
        def apply(self, x):
            return x

    with pytest.raises(TypeError, match=r"type <class 'str'> .* at path self\.name"):
        Named("layer").apply(x)


def test_python_cannot_branch_on_a_registered_field(jax, x) -> None:
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Branching:
        scale: float

        @jax.jit
        def apply(self, x):
            return x if self.scale > 1 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError, match=r"the argument self\.scale"):
        Branching(2.0).apply(x)


def test_a_missing_attribute_is_python_s_own_error(jax, x) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'scale'"):
        jax.jit(Scaler.apply, static_argnums=0)(object(), x)


def test_an_attribute_that_a_helper_gets_as_an_argument_is_seen_by_one_program(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    before = in_jax._scale._cache_size()
    scaler = in_jax.ArgumentScaler(2.0)
    seen = [scaler.apply(x)[1]]
    scaler.scale = 10.0
    seen.append(scaler.apply(x)[1])
    assert seen == [2, 10]
    assert in_jax._scale._cache_size() == before + 1


def test_a_compiled_method_keeps_its_static_object_alive(jax, x) -> None:
    import gc
    import weakref

    apply = jax.jit(Scaler.apply, static_argnums=0)
    scaler = Scaler(2.0)
    apply(scaler, x)
    known = weakref.ref(scaler)
    del scaler
    gc.collect()
    assert known() is not None
