"""What the loops page says: who unrolls, what a carry may be, and which loops have derivatives."""

import cProfile
import pstats
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch import ledger

NUM_STEPS = 5
LOGISTIC_USES = 3  # how often one step of `logistic` reads its state


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX, and this topic's half in it."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.loops import jax as examples

    x = jax.numpy.linspace(0.25, 1.5, 3)
    return SimpleNamespace(jax=jax, lax=jax.lax, jnp=jax.numpy, examples=examples, x=x)


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch, and this topic's half in it."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    import torch._higher_order_ops as prototypes

    from jaxvstorch.examples.loops import torch as examples

    def graph(function):
        return torch.compile(function, backend="eager", fullgraph=True)

    x = torch.linspace(0.25, 1.5, 3)
    return SimpleNamespace(
        torch=torch, prototypes=prototypes, examples=examples, graph=graph, x=x,
        wrong=torch._dynamo.exc.UncapturedHigherOrderOpError,
    )  # fmt: skip


def slopes(x) -> np.ndarray:
    """The derivative of the cosine taken ``NUM_STEPS`` times, by the chain rule."""
    state, slope = np.asarray(x, np.float64), 1.0
    for _ in range(NUM_STEPS):
        slope = slope * -np.sin(state)
        state = np.cos(state)
    return slope


def logistic(state, num_steps: int):
    for _ in range(num_steps):
        state = state + 0.1 * state * (1 - state)
    return state


# --- Who unrolls ---


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("evolve_python", True),
        ("evolve_fori", False),
        ("evolve_scan", False),
        ("evolve_scan_unrolled", False),
    ],
)
def test_jax_a_python_loop_is_unrolled_by_tracing(in_jax, name, grows) -> None:
    function = getattr(in_jax.examples, name)
    cosines = []
    for num_steps in (8, 64):
        jaxpr = in_jax.jax.make_jaxpr(function, static_argnums=1)(in_jax.x, num_steps)
        assert len(jaxpr.eqns) == (num_steps if grows else 1)
        lowered = in_jax.jax.jit(function, static_argnums=1).lower(in_jax.x, num_steps)
        cosines.append(lowered.as_text().count("stablehlo.cosine"))  # before XLA has seen it
    if grows:
        assert cosines == [8, 64]
    else:
        assert cosines[0] == cosines[1] <= 4


@pytest.mark.parametrize(("name", "cosines"), [("evolve_scan", 1), ("evolve_scan_unrolled", 4)])
def test_jax_unroll_writes_a_few_steps_down_in_the_program(in_jax, name, cosines) -> None:
    function = in_jax.jax.jit(getattr(in_jax.examples, name), static_argnums=1)
    program = function.lower(in_jax.x, 16).compile().as_text()
    assert program.count(" cosine(") == cosines
    assert " while(" in program


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("evolve_python", True),
        ("evolve_scan", True),  # a Python loop, in PyTorch
        ("evolve_fori", False),
        ("evolve_scan_unrolled", False),
    ],
)
def test_torch_a_python_loop_is_unrolled_by_tracing(in_torch, name, grows) -> None:
    function = getattr(in_torch.examples, name)
    sizes = []
    for num_steps in (4, 64):
        in_torch.torch.compiler.reset()
        found = in_torch.torch._dynamo.explain(function)(in_torch.x, num_steps)
        assert found.graph_count == 1
        sizes.append(found.op_count)
    if grows:
        assert sizes == [4, 64]
    else:
        assert sizes[0] == sizes[1]


@needs_compiler
def test_inductor_expands_a_state_that_a_step_reads_several_times(in_torch) -> None:
    from torch._inductor.utils import fresh_cache

    def expansions(num_steps: int, **settings) -> int:
        in_torch.torch.compiler.reset()
        changed = in_torch.torch._inductor.config.patch(**settings)
        with fresh_cache(), changed, cProfile.Profile() as profile:
            in_torch.torch.compile(logistic)(in_torch.x, num_steps)
        calls = pstats.Stats(profile).stats
        return sum(
            counts[1]
            for (file, _, function), counts in calls.items()
            if function == "inner_fn" and file.endswith("lowering.py")
        )

    # Two more steps: three times three times the work, where the graph only doubles.
    assert expansions(4) > LOGISTIC_USES**2 * expansions(2)
    # Past the limit on a formula's operations the state is written down, and growth is even.
    config, limit = in_torch.torch._inductor.config, "realize_cpu_opcount_threshold"
    if hasattr(config, limit):
        assert config.realize_cpu_opcount_threshold == 50
    else:  # PyTorch 2.11 has one limit for all devices
        limit = "realize_opcount_threshold"
    few, more, most = (expansions(n, **{limit: 8}) for n in (4, 6, 8))
    assert more - few == most - more


def test_jax_only_grows_by_a_step_for_a_step(in_jax) -> None:
    for num_steps in (2, 4):
        jaxpr = in_jax.jax.make_jaxpr(logistic, static_argnums=1)(in_jax.x, num_steps)
        assert len(jaxpr.eqns) == 4 * num_steps


# --- The number of steps: static or not ---


def test_jax_compiles_a_python_loop_for_each_number_of_steps(in_jax) -> None:
    compiled = in_jax.jax.jit(in_jax.examples.evolve_python, static_argnames="num_steps")
    assert ledger(compiled, [(in_jax.x, 3), (in_jax.x, 5), (in_jax.x, 3)]).traces == [1, 1, 0]


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_compiles_one_loop_for_all_numbers_of_steps(in_jax, name) -> None:
    calls = [(in_jax.x, in_jax.jnp.int32(n)) for n in (3, 5, 7)]
    assert ledger(in_jax.jax.jit(getattr(in_jax.examples, name)), calls).traces == [1, 0, 0]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("evolve_python", "TracerIntegerConversionError"),
        ("evolve_scan", "ConcretizationTypeError"),
    ],
)
def test_jax_cannot_trace_the_number_of_steps_of_these(in_jax, name, error) -> None:
    with pytest.raises(getattr(in_jax.jax.errors, error)):
        in_jax.jax.jit(getattr(in_jax.examples, name))(in_jax.x, 3)


def test_jax_fori_loop_is_a_scan_where_the_number_of_steps_is_static(in_jax) -> None:
    def primitive(**options) -> str:
        jaxpr = in_jax.jax.make_jaxpr(in_jax.examples.evolve_fori, **options)(in_jax.x, 3)
        return str(jaxpr.eqns[-1].primitive)

    assert primitive(static_argnums=1) == "scan"
    assert primitive() == "while"


def test_torch_compiles_a_python_loop_for_each_number_of_steps_up_to_a_limit(in_torch) -> None:
    limit = in_torch.torch._dynamo.config.recompile_limit
    calls = [(in_torch.x, n) for n in range(2, limit + 4)]
    compiled = in_torch.torch.compile(in_torch.examples.evolve_python, backend="eager")
    assert ledger(compiled, calls).traces == [1] * limit + [0, 0]  # the last two ran eagerly


def test_torch_makes_a_symbol_of_the_number_of_steps_of_a_while_loop(in_torch) -> None:
    calls = [(in_torch.x, n) for n in (3, 5, 7, 9)]
    assert ledger(in_torch.graph(in_torch.examples.evolve_fori), calls).traces == [1, 1, 0, 0]
    tensors = [(in_torch.x, in_torch.torch.tensor(n)) for n in (3, 5, 7)]
    assert ledger(in_torch.graph(in_torch.examples.evolve_while), tensors).traces == [1, 0, 0]


# --- A loop that ends when the values say so ---


def test_jax_cannot_trace_a_python_while(in_jax) -> None:
    with pytest.raises(in_jax.jax.errors.TracerBoolConversionError, match="sqrt_python"):
        in_jax.jax.jit(in_jax.examples.sqrt_python)(in_jax.x)


def test_torch_breaks_the_graph_at_a_python_while(in_torch) -> None:
    examples = in_torch.examples
    compiled = in_torch.torch.compile(examples.sqrt_python, backend="eager")
    book = ledger(compiled, [(in_torch.x,), (in_torch.x + 1,)])
    assert book.programs[0] == 2  # up to the first test, and from one test to the next
    assert book.breaks[0] > 0
    assert book.traces[1] == 0
    in_torch.torch.compiler.reset()
    with pytest.raises(in_torch.torch._dynamo.exc.Unsupported):
        in_torch.graph(examples.sqrt_python)(in_torch.x)
    assert ledger(in_torch.graph(examples.sqrt_while), [(in_torch.x,)]).programs == [1]


# --- Carry rules ---


def test_jax_carry_keeps_its_shape_dtype_and_structure(in_jax) -> None:
    lax, jnp, x = in_jax.lax, in_jax.jnp, in_jax.x
    with pytest.raises(TypeError, match="so the dtypes do not match"):
        lax.fori_loop(0, 3, lambda _, count: count + 0.5, jnp.int32(0))
    with pytest.raises(TypeError, match="so the shapes do not match"):
        lax.while_loop(lambda c: c.sum() < 9, lambda c: jnp.concatenate([c, c]), x)
    with pytest.raises(TypeError, match="must have the same pytree structure"):
        lax.while_loop(lambda c: c[0].sum() < 9, lambda c: c[0] + 1, (x,))
    with pytest.raises(TypeError, match="scan body output must be a pair"):
        lax.scan(lambda c, _: c + 1, x, length=3)
    with pytest.raises(TypeError, match="cond_fun must return a boolean scalar"):
        lax.while_loop(lambda c: c < 9, lambda c: c + 1, x)


def test_jax_carry_that_is_a_python_number_takes_the_dtype_of_the_body(in_jax) -> None:
    total = in_jax.lax.fori_loop(0, 3, lambda _, total: total + in_jax.jnp.float32(0.5), 1)
    assert total == 2.5
    assert total.dtype == "float32"


def test_torch_carry_keeps_its_shape_and_dtype(in_torch) -> None:
    torch, x = in_torch.torch, in_torch.x
    with pytest.raises(in_torch.wrong, match=r"differ in 'dtype: torch.float64 vs torch.float32'"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (c.double() + 1,), (x,))
    with pytest.raises(in_torch.wrong, match=r"differ in 'shape: torch.Size\(\[6\]\)"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (torch.cat([c, c]),), (x,))
    with pytest.raises(in_torch.wrong, match="unsupported cond_fn return type"):
        torch.while_loop(lambda c: c < 9, lambda c: (c + 1,), (x,))


def test_python_loops_have_no_such_rule(in_jax, in_torch) -> None:
    def double(concatenate, x):
        for _ in range(2):
            x = concatenate([x, x])
        return x

    assert in_jax.jax.jit(lambda x: double(in_jax.jnp.concatenate, x))(in_jax.x).shape == (12,)
    assert in_torch.graph(lambda x: double(in_torch.torch.cat, x))(in_torch.x).shape == (12,)


# --- Derivatives ---


@pytest.mark.parametrize(
    "name", ["evolve_python", "evolve_fori", "evolve_scan", "evolve_scan_unrolled"]
)
def test_jax_reverse_mode_where_the_number_of_steps_is_known(in_jax, name) -> None:
    function = getattr(in_jax.examples, name)
    gradient = in_jax.jax.grad(lambda x: function(x, NUM_STEPS).sum())(in_jax.x)
    np.testing.assert_allclose(gradient, slopes(in_jax.x), rtol=1e-5)


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_has_no_reverse_mode_where_it_is_not(in_jax, name) -> None:
    function = getattr(in_jax.examples, name)
    gradient = in_jax.jax.jit(in_jax.jax.grad(lambda x, n: function(x, n).sum()))
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        gradient(in_jax.x, NUM_STEPS)


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_forward_mode_does_not_need_to_know_it(in_jax, name) -> None:
    function = getattr(in_jax.examples, name)
    ones = in_jax.jnp.ones_like(in_jax.x)
    push = in_jax.jax.jit(lambda x, n: in_jax.jax.jvp(lambda x: function(x, n), (x,), (ones,))[1])
    np.testing.assert_allclose(push(in_jax.x, NUM_STEPS), slopes(in_jax.x), rtol=1e-5)


@pytest.mark.parametrize("name", ["density_map", "recurrence_associative"])
def test_jax_map_and_associative_scan_have_both_modes(in_jax, name) -> None:
    jax, jnp = in_jax.jax, in_jax.jnp
    x = jnp.linspace(0.1, 0.9, 6).reshape((3, 2) if name.startswith("recurrence") else 6)

    @jax.jit
    def weighted(x):
        return (getattr(in_jax.examples, name)(x, 2 * x) * x).sum()

    _, forward = jax.jvp(weighted, (x,), (jnp.ones_like(x),))
    np.testing.assert_allclose(forward, jax.grad(weighted)(x).sum(), rtol=1e-5)


def test_jax_newton_has_forward_mode_only(in_jax) -> None:
    jax, examples, x = in_jax.jax, in_jax.examples, in_jax.x
    jacobian = jax.jacfwd(examples.sqrt_while)(x)
    np.testing.assert_allclose(np.diag(jacobian), 0.5 / np.sqrt(x), rtol=1e-5)
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(lambda x: examples.sqrt_while(x).sum())(x)


@pytest.mark.parametrize(
    "name",
    ["evolve_python", "evolve_fori", "evolve_while", "evolve_scan", "evolve_scan_unrolled"],
)
def test_torch_reverse_mode_of_every_loop(in_torch, name) -> None:
    torch = in_torch.torch
    count = torch.tensor(NUM_STEPS) if name == "evolve_while" else NUM_STEPS
    x = in_torch.x.clone().requires_grad_()
    getattr(in_torch.examples, name)(x, count).sum().backward()
    np.testing.assert_allclose(x.grad, slopes(in_torch.x), rtol=1e-5)


def test_torch_newton_has_reverse_mode(in_torch) -> None:
    x = in_torch.x.clone().requires_grad_()
    in_torch.examples.sqrt_while(x).sum().backward()
    np.testing.assert_allclose(x.grad, 0.5 / np.sqrt(in_torch.x.numpy()), rtol=1e-5)


@needs_compiler
def test_torch_gradient_of_a_while_loop_compiles_only_with_fullgraph(in_torch) -> None:
    x = in_torch.x.clone().requires_grad_()
    traces = []
    for fullgraph in (True, False):
        in_torch.torch.compiler.reset()
        evolve = in_torch.torch.compile(in_torch.examples.evolve_fori, fullgraph=fullgraph)
        traces += ledger(evolve, [(x, NUM_STEPS)]).traces
        (gradient,) = in_torch.torch.autograd.grad(evolve(x, NUM_STEPS).sum(), x)
        np.testing.assert_allclose(gradient, slopes(in_torch.x), rtol=1e-5)
    assert traces[0] == 1
    assert traces[1] > 1  # the compiler failed, and Python runs the loop piece by piece


@needs_compiler
def test_torch_gradient_of_a_compiled_while_loop_fails_at_some_lengths(in_torch) -> None:
    torch = in_torch.torch
    evolve = torch.compile(in_torch.examples.evolve_scan_unrolled, fullgraph=True, dynamic=False)
    for size in (8, 7):
        x = torch.linspace(0.25, 1.5, size, requires_grad=True)
        total = evolve(x, 10).sum()
        if size == 8:
            total.backward()
            assert x.grad.isfinite().all()
    with pytest.raises(AssertionError, match="Expect the tensor to be 16 bytes aligned"):
        total.backward()


def test_torch_only_python_loops_have_forward_mode(in_torch) -> None:
    torch, x = in_torch.torch, in_torch.x

    def tangent(function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch.func.jvp uses torch.jit
            return torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]

    found = tangent(lambda x: in_torch.examples.evolve_python(x, NUM_STEPS))
    np.testing.assert_allclose(found, slopes(x), rtol=1e-5)
    for loop in (
        lambda x: in_torch.examples.evolve_fori(x, NUM_STEPS),
        total_cosines(in_torch, torch.cos),
        lambda x: in_torch.prototypes.map(torch.cos, x),
    ):
        torch.compiler.reset()
        with pytest.raises(in_torch.wrong):
            tangent(loop)
        torch.compiler.reset()
        with pytest.raises(AssertionError, match="Expected FakeTensor"):
            torch.func.grad(lambda x, loop=loop: loop(x).sum())(x)


def test_torch_associative_scan_has_both_modes(in_torch) -> None:
    torch = in_torch.torch
    x = torch.linspace(0.1, 0.9, 6).reshape(3, 2)

    def weighted(x):
        return (in_torch.examples.recurrence_associative(x, 2 * x) * x).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch.func.jvp uses torch.jit
        _, forward = torch.func.jvp(weighted, (x,), (torch.ones_like(x),))
    inputs = x.clone().requires_grad_()
    weighted(inputs).backward()
    np.testing.assert_allclose(forward, inputs.grad.sum(), rtol=1e-5)


# --- PyTorch's prototypes ---


def test_torch_has_one_public_loop(in_torch) -> None:
    assert "prototype" in in_torch.torch.while_loop.__doc__
    for name in ("scan", "associative_scan", "map"):
        assert not hasattr(in_torch.torch, name)
        assert "prototype" in getattr(in_torch.prototypes, name).__doc__


def total_cosines(t, step):
    """A scan with PyTorch's private prototype: the last state of ``step``, taken five times."""

    def body(state, _):
        state = step(state)
        return state, state.clone()

    return lambda x: t.prototypes.scan(body, x, t.torch.arange(NUM_STEPS))[0]


def test_torch_scan_runs_and_has_gradients_in_eager_mode(in_torch) -> None:
    for step in (in_torch.torch.cos, in_torch.torch.tanh):
        x = in_torch.x.clone().requires_grad_()
        total_cosines(in_torch, step)(x).sum().backward()
        y = in_torch.x.clone().requires_grad_()
        state = y
        for _ in range(NUM_STEPS):
            state = step(state)
        state.sum().backward()
        np.testing.assert_allclose(x.grad, y.grad, rtol=1e-5)


@needs_compiler
def test_torch_scan_compiles_only_with_fullgraph(in_torch) -> None:
    torch = in_torch.torch
    function = total_cosines(in_torch, torch.cos)
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(function)(in_torch.x)
    torch.compiler.reset()
    found = torch.compile(function, fullgraph=True)(in_torch.x)
    np.testing.assert_allclose(found, function(in_torch.x), rtol=1e-5)


@needs_compiler
def test_torch_map_compiles_only_with_fullgraph(in_torch) -> None:
    torch = in_torch.torch

    def squares(x):
        return in_torch.prototypes.map(lambda element: element * element, x)

    x = in_torch.x.clone().requires_grad_()
    squares(x).sum().backward()
    np.testing.assert_allclose(x.grad, 2 * in_torch.x)
    torch.compiler.reset()
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(squares)(in_torch.x)
    torch.compiler.reset()
    found = torch.compile(squares, fullgraph=True)(in_torch.x)
    np.testing.assert_allclose(found, in_torch.x**2)


@needs_compiler
@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while", "evolve_scan_unrolled"])
def test_torch_compiled_while_loop_is_right_for_large_arrays_and_on_later_calls(
    in_torch, name
) -> None:
    torch = in_torch.torch
    x = torch.linspace(-3, 3, 2**16)
    count = torch.tensor(10) if name == "evolve_while" else 10
    kept = x.clone()
    compiled = torch.compile(getattr(in_torch.examples, name))
    expected = in_torch.examples.evolve_python(x.double(), 10)
    for _ in range(3):
        np.testing.assert_allclose(compiled(x, count), expected, rtol=1e-5)
    assert torch.equal(x, kept)
    assert int(count) == 10


@needs_compiler
def test_torch_scan_compiled_has_no_gradient_where_a_step_keeps_its_result(in_torch) -> None:
    torch = in_torch.torch
    x = in_torch.x.clone().requires_grad_()
    torch.compile(total_cosines(in_torch, torch.cos), fullgraph=True)(x).sum().backward()
    np.testing.assert_allclose(x.grad, slopes(in_torch.x), rtol=1e-5)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="might be aliasing"):
        torch.compile(total_cosines(in_torch, torch.tanh), fullgraph=True)(x)


def test_torch_scan_refuses_no_steps_no_inputs_and_results_that_share_memory(in_torch) -> None:
    scan, x = in_torch.prototypes.scan, in_torch.x
    with pytest.raises(RuntimeError, match="scan dimension > 0"):
        scan(lambda c, _: (c.cos(), c.clone()), x, in_torch.torch.arange(0))
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'ndim'"):
        scan(lambda c, _: (c.cos(), c.clone()), x, None)
    with pytest.raises(in_torch.wrong, match="Encountered aliasing"):
        scan(lambda c, _: (c.cos(), c), x, in_torch.torch.arange(3))


def test_torch_integers_in_a_carry_do_not_compile_and_have_no_gradient(in_torch) -> None:
    torch = in_torch.torch

    def evolve(x):
        return torch.while_loop(lambda i, x: i < NUM_STEPS, lambda i, x: (i + 1, x.cos()), (0, x))[
            1
        ]

    assert evolve(in_torch.x).shape == (3,)
    with pytest.raises(torch._inductor.exc.InductorError):
        torch.compile(evolve)(in_torch.x)
    torch.compiler.reset()
    # torch 2.10 says the latter.
    says = r"must be tensors for stack_output|call_function while_loop.*got AssertionError"
    with pytest.raises(RuntimeError, match=says):
        evolve(in_torch.x.clone().requires_grad_())


# --- No steps, map, associative_scan ---


@pytest.mark.parametrize(
    "name", ["evolve_python", "evolve_fori", "evolve_scan", "evolve_scan_unrolled"]
)
@pytest.mark.parametrize("num_steps", [0, 1, 6])
def test_any_number_of_steps(in_jax, in_torch, name, num_steps) -> None:
    ours = getattr(in_jax.examples, name)(in_jax.x, num_steps)
    theirs = getattr(in_torch.examples, name)(in_torch.x, num_steps)
    assert np.allclose(ours, theirs, rtol=1e-6)
    if num_steps == 0:
        assert np.array_equal(ours, in_jax.x)


def test_jax_map_is_a_scan_and_vmap_has_no_loop(in_jax) -> None:
    points, centres = in_jax.jnp.ones(100), in_jax.jnp.ones(8)

    def primitives(function) -> set[str]:
        jaxpr = in_jax.jax.make_jaxpr(function)(points, centres)
        return {str(eqn.primitive) for eqn in jaxpr.eqns}

    assert "scan" in primitives(in_jax.examples.density_map)
    assert "scan" not in primitives(in_jax.examples.density_vmap)


def test_jax_associative_scan_grows_with_the_logarithm_of_the_steps(in_jax) -> None:
    def size(function, num_steps: int) -> int:
        rows = in_jax.jnp.ones((num_steps, 2))
        return len(in_jax.jax.make_jaxpr(function)(rows, rows).eqns)

    parallel = [size(in_jax.examples.recurrence_associative, n) for n in (16, 64, 256)]
    assert parallel[1] - parallel[0] == parallel[2] - parallel[1] > 0
    sequential = [size(in_jax.examples.recurrence_sequential, n) for n in (16, 256)]
    assert sequential[0] == sequential[1]


def test_torch_associative_scan_has_to_be_told_that_it_is_not_on_a_gpu(in_torch) -> None:
    scan, torch = in_torch.prototypes.associative_scan, in_torch.torch
    with pytest.raises(ValueError, match="pointwise"):
        scan(torch.add, in_torch.x, 0)
    total = scan(torch.add, in_torch.x, 0, combine_mode="generic")
    assert torch.allclose(total, torch.cumsum(in_torch.x, 0))
