"""What a function accesses outside while JAX traces it, and what it calls back."""

import dataclasses
import datetime
import functools
import logging
import math
import os
import random
import secrets
import sys
import threading
import time
import uuid
import warnings
from pathlib import Path

import numpy as np
import pytest
from commented_functions import X, cases, check_touched

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy

pytestmark = [
    pytest.mark.usefixtures("random_numbers_as_before"),
    pytest.mark.filterwarnings("ignore:seeded"),
]

generator = np.random.default_rng(0)
system = random.SystemRandom()
log = logging.getLogger(__name__)
lock = threading.Lock()


class _Held:
    """Can be called, as a model can, and holds weights."""

    def __init__(self):
        self.weights = {"a": jax.numpy.ones(4)}

    def __call__(self):
        return self.weights["a"]  # -> traced


held_by_jax = _Held()

case, test_marks = cases("jax")


@case(X)
def draws_from_python(x):
    return x + random.random()  # -> A1 ! impure


@case(X)
def seeds(x):
    random.seed(0)  # -> traced ! impure
    warnings.warn("seeded", stacklevel=1)  # -> traced ! impure
    return x + 1  # -> A1


@case(X)
def draws_from_a_generator(x):
    noise = generator.random(4)  # -> traced ! impure
    return x + noise.astype(np.float32)  # -> A1


@case(X)
def reads_the_clock(x):
    now = time.perf_counter()  # -> traced ! impure
    day = datetime.datetime.now().day  # -> traced ! impure
    return x + now + day  # -> A2


@case(X, os.devnull, static="path")
def reads_a_file(x, path):
    with open(path) as file:  # -> traced ! impure
        text = file.read()  # -> traced
    return x + len(text)  # -> A1


@case(X)
def draws_from_the_system(x):
    a = system.random()  # -> traced ! impure
    b = os.urandom(1)[0]  # -> traced ! impure
    c = secrets.randbelow(3) + secrets.token_bytes(1)[0]  # -> traced ! impure, impure
    return x + a + b + c + uuid.uuid4().int % 2  # -> A4 ! impure


@case(X)
def draws_from_a_generator_of_its_own(x):
    return x + random.Random(0).random()  # -> A1


@case(X)
def reads_other_clocks(x):
    a = time.gmtime().tm_sec  # -> traced ! impure
    b = time.localtime().tm_sec  # -> traced ! impure
    return x + a + b  # -> A2


@case(X)
def imports_for_itself(x):
    import secrets as hidden  # -> traced
    from time import time  # -> traced

    return x + time() + hidden.randbelow(3)  # -> A2 ! impure, impure


@case(X)
def waits_for_a_lock(x):
    with lock:  # -> traced
        return x + 1  # -> A1


@case(X)
def reads_an_array_of_jax(x):
    return x * held_by_jax()  # -> A1 ! frozen


@case(X)
def reads_and_writes_files(x):
    path = Path(os.devnull)  # -> traced
    a = path.read_text()  # -> traced ! impure
    b = path.read_bytes()  # -> traced ! impure
    path.write_text("a")  # -> traced ! impure
    return x + len(a) + len(b)  # -> A2


@case(X)
def logs(x):
    log.info("shape %s", x.shape)  # -> traced ! impure
    logging.debug("here")  # -> traced ! impure
    sys.stdout.write("now")  # -> traced ! impure
    return x + 1  # -> A1


@case(X)
def prints(x):
    print("now", x.shape)  # -> traced ! impure
    return x + math.pi  # -> A1


@case(X)
def calls_back(x):
    jax.debug.print("x is {}", x)  # -> A1 ! callback
    kind = jax.ShapeDtypeStruct(x.shape, x.dtype)  # -> traced
    return jax.pure_callback(np.sin, kind, x)  # -> A1 ! callback


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (draws_from_python, "`random.random`"),
        (draws_from_a_generator, "`generator`"),
        (seeds, "`random.seed` is called only while tracing"),
        (seeds, "`warnings.warn` warns only while tracing"),
        (prints, "`print` prints only while tracing"),
        (logs, "`Logger.info` logs only while tracing"),
        (logs, "`sys.stdout.write` prints only while tracing"),
        (draws_from_the_system, "Random numbers from `SystemRandom.random`"),
        (draws_from_the_system, "`uuid.uuid4` is called only while tracing"),
        (reads_and_writes_files, "`Path.read_text` accesses files only while tracing"),
    ],
)
def test_a_finding_names_what_was_touched(function, words) -> None:
    check_touched(explain(function, X), words)


@pytest.mark.parametrize("is_flax", [True, False])
def test_state_that_flax_writes_back_is_not_lost(is_flax) -> None:
    nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")

    class Counter(nnx.Module):
        def __init__(self):
            self.calls = nnx.Variable(jax.numpy.zeros(()))

    def count(counter, x):
        counter.calls[...] += 1
        return x + 1

    jit = nnx.jit if is_flax else jax.jit
    counter = Counter()
    explanation = explain(jit(count), counter, X)
    assert [f.kind for f in explanation.findings] == ([] if is_flax else ["impure"])
    jit(count)(counter, X)
    assert counter.calls[...] == is_flax


def test_an_optimizer_is_part_of_the_program() -> None:
    optax = pytest.importorskip("optax", reason="optax is not installed")
    optimizer = optax.adam(1e-3)

    def step(weights, state, x):
        gradients = jax.grad(lambda w: (w * x).sum())(weights)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state

    assert explain(step, X, optimizer.init(X), X).findings == ()


@functools.cache
def table(size):
    return jnp.arange(size) * 1.0


@functools.lru_cache(maxsize=4)
def bounded_table(size):
    return jnp.arange(size) * 2.0


@functools.cache
def plain_table(size):
    return np.arange(size) * 1.0


def test_a_cache_with_traced_values_is_reported_and_emptied() -> None:
    def encoded(x):
        return x + table(4) + bounded_table(4)

    for _ in range(2):
        leaked = [f for f in explain(encoded, jnp.ones(4)).findings if "traced value" in f.what]
        assert [f.line for f in leaked] == [encoded.__code__.co_firstlineno + 1] * 2
        assert table.cache_info().currsize == bounded_table.cache_info().currsize == 0
    encoded(jnp.ones(4))  # would raise UnexpectedTracerError


def test_a_cache_without_traced_values_is_left_alone() -> None:
    def encoded(x):
        return x + plain_table(4)

    assert not [f for f in explain(encoded, jnp.ones(4)).findings if "traced value" in f.what]
    assert plain_table.cache_info().currsize == 1


def counting(seen, x):
    seen.append(1)
    return x + 1


def test_what_a_partial_holds_is_changed_itself() -> None:
    seen = []
    (finding,) = explain(functools.partial(counting, seen), jnp.ones(3)).findings
    assert finding.what == "`seen` is changed only while tracing, not on later calls."
    assert seen == [1]


class _Level:
    def __init__(self, level):
        self.level = level


class _Gain(_Level):
    def __eq__(self, other):
        return self.level == other.level

    def __hash__(self):
        return hash(self.level)


@dataclasses.dataclass(frozen=True)
class _Fixed:
    level: float


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class _Tree:
    level: float


class _Nested:
    def __init__(self):
        self.inner = _Level(2.0)

    def __call__(self, x):
        return x * self.inner.level

    @functools.partial(jax.jit, static_argnums=0)
    def jitted(self, x):
        inner = self.inner
        return x * inner.level

    def with_a_function(self, x):
        return jax.grad(lambda x: (x * self.inner.level).sum())(x)


def scaled(x, gain):
    return x * gain.level


def with_an_attribute(x):
    with_an_attribute.last = x
    return x * with_an_attribute.level


with_an_attribute.level, with_an_attribute.last = 2.0, None
reference = jax.new_ref(0.0)
of_static = jax.jit(scaled, static_argnums=1)
nested = _Nested()


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        pytest.param(of_static, (_Level(2.0),), "gain.level", id="of a static argument"),
        pytest.param(of_static, (_Fixed(2.0),), None, id="of a frozen dataclass"),
        pytest.param(scaled, (_Tree(2.0),), None, id="of a pytree"),
        pytest.param(nested, (), "self.inner.level", id="of an object that is called"),
        pytest.param(nested.jitted, (), "inner.level", id="of a method's object"),
        pytest.param(nested.with_a_function, (), "self.inner.level", id="in a function inside"),
        pytest.param(lambda x: nested(x), (), "self.inner.level", id="of a global"),
        pytest.param(jax.jit(nested), (), "self.inner.level", id="of an object that is jitted"),
        pytest.param(jax.vmap(nested), (), "self.inner.level", id="of an object that is mapped"),
        pytest.param(functools.partial(scaled, gain=_Level(2.0)), (), "gain.level", id="held"),
        pytest.param(with_an_attribute, (), "with_an_attribute.level", id="of a function"),
        pytest.param(lambda x: x + reference[...], (), None, id="of a reference"),
    ],
)
def test_a_frozen_attribute_is_what_later_calls_do_not_see(function, arguments, name) -> None:
    found = explain(function, jnp.ones(3), *arguments).found("frozen")
    assert [f.what.split("`")[1] for f in found] == ([] if name is None else [name])


def test_an_attribute_in_the_hash_of_a_static_argument() -> None:
    gain = _Gain(2.0)
    found = explain(of_static, jnp.ones(3), gain).found("frozen")
    of_static(1.0, gain)
    gain.level = 5.0
    assert (of_static(1.0, gain) == 2.0) == bool(found)  # JAX 0.10 keeps the old value


class _Model:
    def __init__(self):
        self.last, self.kept, self.by_name, self.old = jnp.ones(3), [], {}, {"a": 1}

    def __call__(self, x):
        self.last = x * 2
        self.kept.append(x)
        self.by_name["x"] = x
        self.old["a"] = 3
        return self.last + 1


def test_what_holds_a_traced_value_gets_back_what_it_held() -> None:
    model = _Model()
    found = explain(model, jnp.ones(3)).found("impure")
    lines = range(_Model.__call__.__code__.co_firstlineno + 1, found[-1].line + 1)
    assert [f.line for f in found] == list(lines)
    assert [f.what.split("`")[1] for f in found] == [
        f"self.{name}" for name in ("last", "kept", "by_name", "old")
    ]
    model(jnp.ones(3))  # would raise UnexpectedTracerError
    assert (len(model.kept), list(model.by_name), model.old) == (1, ["x"], {"a": 3})


KEY = jax.random.key(0)


def test_a_global_that_holds_a_traced_value_is_as_before() -> None:
    def noise(x):
        global KEY
        KEY, key = jax.random.split(KEY)
        return x + jax.random.normal(key, x.shape)

    explain(noise, jnp.ones(3))
    assert noise(jnp.ones(3)).shape == (3,)


def test_without_a_program_nothing_is_frozen_into_it() -> None:
    seen = []

    def with_float(x):
        seen.append(float(x.mean()))
        return x

    def with_item(x):
        seen.append(x.mean().item())
        return x

    for step in (with_float, with_item):
        (finding,) = explain(step, jnp.ones(3)).findings
        assert finding.kind == "failed"
        assert "append it after the call" in finding.cure


@functools.partial(jax.jit, static_argnums=0)
def doubling(n):
    return jnp.float32(1) if n == 0 else doubling(n - 1) + doubling(n - 1)


def test_a_program_that_is_used_often_is_read_once() -> None:
    (program,) = explain(doubling, 60).programs
    assert program.operations == {"A": 2**60 - 1}


def test_a_method_that_is_jitted_changes_its_own_object() -> None:
    model = _Model()
    found = explain(jax.jit(model.__call__), jnp.ones(3)).found("impure")
    assert found[0].what.startswith("`self.last` now holds a traced value")
    assert model.kept == []


def test_an_attribute_of_a_function_gets_back_what_it_held() -> None:
    (finding,) = explain(with_an_attribute, jnp.ones(3)).found("impure")
    assert finding.what.startswith("`with_an_attribute.last` now holds a traced value")
    assert with_an_attribute.last is None


def test_the_numbers_of_a_generator_are_drawn_once() -> None:
    own = np.random.default_rng(0)
    (finding,) = explain(lambda x: x + own.normal(), jnp.ones(3)).findings
    assert finding.what.startswith("Random numbers from `own` are drawn only while tracing")
