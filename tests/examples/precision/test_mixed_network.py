"""Which dtype each part of a mixed network has, and what a step in bfloat16 loses."""

import importlib

import numpy as np
import pytest

from jaxvstorch.examples.precision import inputs

# What autocast gives for float32 and for bfloat16 arguments, with bfloat16 asked for.
ON_CPU = {
    "matmul": ("bfloat16", "bfloat16"),
    "conv2d": ("bfloat16", "bfloat16"),
    "tanh": ("float32", "bfloat16"),
    "exp": ("float32", "bfloat16"),
    "sum": ("float32", "bfloat16"),
    "mean": ("float32", "bfloat16"),
    "softmax": ("float32", "bfloat16"),
    "layer_norm": ("float32", "bfloat16"),
    "mse_loss": ("float32", "float32"),
    "cross_entropy": ("float32", "float32"),
}
TWICE = "float32", "float32"
ON_CUDA = ON_CPU | dict.fromkeys(("exp", "sum", "softmax", "layer_norm"), TWICE)


def network(convert):
    parameters, x, y = inputs.network(16, np.dtype(np.float32), np.random.default_rng(0))
    return {name: convert(value) for name, value in parameters.items()}, convert(x), convert(y)


def products(jaxpr) -> list[str]:
    return [str(e.outvars[0].aval.dtype) for e in jaxpr.eqns if e.primitive.name == "dot_general"]


def test_jax_computes_in_bfloat16_and_gives_float32(jax, in_jax) -> None:
    arguments = network(jax.numpy.asarray)
    program = jax.make_jaxpr(in_jax.mixed_loss)(*arguments)
    assert products(program.jaxpr) == ["bfloat16"] * 2
    assert program.out_avals[0].dtype == "float32"
    (tanh,) = [e for e in program.jaxpr.eqns if e.primitive.name == "tanh"]
    assert tanh.outvars[0].aval.dtype == "bfloat16"
    gradients = jax.grad(in_jax.mixed_loss)(*arguments)
    assert {str(g.dtype) for g in jax.tree.leaves(gradients)} == {"float32"}
    backward = jax.make_jaxpr(jax.grad(in_jax.mixed_loss))(*arguments)
    assert set(products(backward.jaxpr)) == {"bfloat16"}


def test_a_batch_of_float32_makes_each_product_float32(jax, in_jax) -> None:
    parameters, x, y = network(jax.numpy.asarray)

    def loss(parameters, x, y):
        halved = jax.tree.map(lambda a: a.astype("bfloat16"), parameters)
        return in_jax.network_loss(halved, x, y)

    assert products(jax.make_jaxpr(loss)(parameters, x, y).jaxpr) == ["float32"] * 2


def test_torch_computes_in_bfloat16_and_gives_float32(torch, in_torch) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            seen.append((function.__name__, out.dtype))
            return out

    seen: list[tuple[str, object]] = []
    parameters, x, y = network(torch.from_numpy)
    for value in parameters.values():
        value.requires_grad_()
    with Log():
        loss = in_torch.mixed_loss(parameters, x, y)
    dtypes = [(name.partition(".")[0], dtype) for name, dtype in seen]
    half, single = torch.bfloat16, torch.float32
    assert [d for name, d in dtypes if name == "addmm"] == [half, half]
    assert ("tanh", half) in dtypes
    assert ("mse_loss", single) in dtypes
    assert [name for name, _ in dtypes].count("_to_copy") == 6  # four parameters, x and the output
    with Log():
        loss.backward()
    assert all(dtype == half for name, dtype in dtypes if name == "mm")
    assert {value.grad.dtype for value in parameters.values()} == {single}


def functions(torch, new):
    """Calls by name, given what makes an argument from a shape."""
    functional, x = torch.nn.functional, new(4, 8)
    return {
        "matmul": lambda: x @ new(8, 8),
        "conv2d": lambda: functional.conv2d(new(1, 2, 6, 6), new(3, 2, 3, 3)),
        "tanh": lambda: x.tanh(),
        "exp": lambda: x.exp(),
        "sum": lambda: x.sum(),
        "mean": lambda: x.mean(),
        "softmax": lambda: x.softmax(1),
        "layer_norm": lambda: functional.layer_norm(x, (8,)),
        "mse_loss": lambda: functional.mse_loss(x, new(4, 8)),
        "cross_entropy": lambda: functional.cross_entropy(x, new(4, 8)),
    }


@pytest.mark.parametrize("place", [0, 1], ids=["of float32", "of bfloat16"])
def test_what_autocast_casts_on_a_cpu(torch, place) -> None:
    dtype = (torch.float32, torch.bfloat16)[place]
    calls = functions(torch, lambda *shape: torch.ones(shape, dtype=dtype))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = {name: str(call().dtype).removeprefix("torch.") for name, call in calls.items()}
    assert found == {name: dtypes[place] for name, dtypes in ON_CPU.items()}


@pytest.mark.parametrize("place", [0, 1], ids=["of float32", "of bfloat16"])
def test_what_autocast_casts_on_cuda_by_fake_tensors(torch, place) -> None:
    fake = pytest.importorskip("torch._subclasses.fake_tensor")
    dtype = (torch.float32, torch.bfloat16)[place]
    with fake.FakeTensorMode():
        calls = functions(torch, lambda *shape: torch.empty(shape, dtype=dtype, device="cuda"))
        torch.set_autocast_dtype("cuda", torch.bfloat16)
        torch.set_autocast_enabled("cuda", True)
        try:
            found = {name: str(c().dtype).removeprefix("torch.") for name, c in calls.items()}
        finally:
            torch.set_autocast_enabled("cuda", False)
            torch.set_autocast_dtype("cuda", torch.float16)
            torch.clear_autocast_cache()
    assert found == {name: dtypes[place] for name, dtypes in ON_CUDA.items()}


def test_autocast_leaves_float64_and_an_addition_of_float32(torch) -> None:
    with torch.autocast("cpu"):  # bfloat16 is the default here
        wide = torch.ones(2, 2, dtype=torch.float64)
        assert (wide @ wide).dtype == torch.float64
        product = torch.ones(2, 2) @ torch.ones(2, 2)
        assert product.dtype == torch.bfloat16
        assert (product + torch.ones(2)).dtype == torch.float32
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        torch.autocast("cpu", dtype=torch.float32)


def test_autocast_does_not_see_weights_that_change_inside_it(torch) -> None:
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)

    def change(**options):
        with torch.autocast("cpu", **options):
            before = (x @ w)[0, 0].item()
            with torch.no_grad():
                w.mul_(5)
            after = (x @ w)[0, 0].item()
        return after / before

    assert change() == 1
    assert change(cache_enabled=False) == 5


def test_a_function_with_its_own_backward_needs_custom_fwd(torch) -> None:
    def product(decorate):
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a @ b

            @staticmethod
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                return g @ b.T, a.T @ g

        if decorate:
            Product.forward = torch.amp.custom_fwd(Product.forward, device_type="cpu")
            Product.backward = torch.amp.custom_bwd(Product.backward, device_type="cpu")
        return Product.apply

    a = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        plain, decorated = (product(way)(a, a).sum() for way in (False, True))
    with pytest.raises(RuntimeError, match="same dtype"):
        plain.backward()
    decorated.backward()
    assert a.grad.dtype == torch.float32


def test_a_small_step_is_lost_in_bfloat16(jax, torch) -> None:
    one, small = jax.numpy.bfloat16(1), jax.numpy.bfloat16(0.001)
    assert one + small == 1
    assert jax.numpy.float16(1) + jax.numpy.float16(0.001) > 1
    assert torch.tensor(1.0, dtype=torch.bfloat16) + 0.001 == 1
    weights = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
    optimizer = torch.optim.Adam([weights], lr=1e-3)
    weights.grad = torch.ones_like(weights)
    optimizer.step()
    assert weights.tolist() == [1, 1]
    assert optimizer.state[weights]["exp_avg_sq"].dtype == torch.bfloat16


def test_flax_takes_both_dtypes(jax) -> None:
    nnx = pytest.importorskip("flax.nnx")
    module = importlib.import_module("jaxvstorch.examples.precision.jax_flax")
    model = module.Network(4, 8, 2, nnx.Rngs(0))
    x = jax.numpy.ones((3, 4))
    assert model(x).dtype == "bfloat16"
    gradient = nnx.grad(lambda model: model(x).astype("float32").sum())(model)
    dtypes = {str(leaf.dtype) for leaf in jax.tree.leaves(nnx.state(model, nnx.Param))}
    assert dtypes == {"float32"}
    assert {str(leaf.dtype) for leaf in jax.tree.leaves(gradient)} == {"float32"}
    # Without dtype= the layer promotes what it is given with its parameters.
    assert nnx.Linear(4, 2, param_dtype="bfloat16", rngs=nnx.Rngs(0))(x).dtype == "float32"


def test_optax_skips_steps_that_are_not_finite_up_to_a_limit(jax) -> None:
    optax, jnp = pytest.importorskip("optax"), jax.numpy
    guarded = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=2)
    state, seen = guarded.init(jnp.ones(2)), []
    for _ in range(3):
        updates, state = guarded.update(jnp.full(2, jnp.inf), state)
        seen.append(float(updates[0]))
    assert seen == [0, 0, -np.inf]


def test_optax_keeps_its_state_in_the_dtype_of_the_parameters(jax) -> None:
    optax = pytest.importorskip("optax")
    parameters = {"w": jax.numpy.ones(2, "bfloat16")}
    optimizer = optax.adam(1e-3)
    state = optimizer.init(parameters)
    assert (state[0].mu["w"].dtype, state[0].nu["w"].dtype) == ("bfloat16", "bfloat16")
    updates, _ = optimizer.update({"w": jax.numpy.ones(2, "bfloat16")}, state, parameters)
    assert optax.apply_updates(parameters, updates)["w"].tolist() == [1, 1]
