"""What ``diff`` takes as a side, what it leaves unchanged, and what it says of bad input."""

import copy
import re

import numpy as np
import pytest

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
nnx = pytest.importorskip("flax.nnx")

import jax.numpy as jnp  # noqa: E402  (after the skips)

from jaxvstorch import diff  # noqa: E402

X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)


class Net(torch.nn.Module):
    """A layer, a norm, and an operation in place."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(6, 8)
        self.norm = torch.nn.BatchNorm1d(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, 6) to (batch,)."""
        h = self.norm(self.linear(x))
        h[:, :4].mul_(2.0)
        return h.relu_().sum(1)


class Port(nnx.Module):
    """The same in JAX."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(6, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, epsilon=1e-5, momentum=0.9, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        """(batch, 6) to (batch,)."""
        h = self.norm(self.linear(x))
        return nnx.relu(h.at[:, :4].multiply(2.0)).sum(1)


def test_inputs_that_a_side_takes_in_float64_alone_are_compared_in_it() -> None:
    torch.manual_seed(0)
    report = diff(Net().eval(), Port(nnx.Rngs(0)), (X.astype(np.float64),))
    assert report.outputs == ()
    assert any("since PyTorch fails in its own dtypes: mat1 and" in x for x in report.notes)


def test_weights_of_two_models_of_pytorch_are_carried_over_in_each_run() -> None:
    torch.manual_seed(0)
    first, second = torch.nn.Linear(6, 8), torch.nn.Linear(6, 8)
    before = second.weight.detach().clone()

    def wrong(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(second(x)) * 3

    def right(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(first(x))

    report = diff(right, wrong, (X,))
    cause = report.differences[0].cause
    assert cause.startswith("PyTorch 2's numbers are 3 times PyTorch 1's; "), cause
    assert report.outputs[0].gap > 0.1
    assert torch.equal(second.weight, before)


def test_running_statistics_begin_anew_in_each_run() -> None:
    class Norm(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(6)
            self.norm.running_mean.normal_()

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.norm(x), self.norm.running_mean

    def port(p: dict[str, jax.Array], x: jax.Array) -> tuple[jax.Array, jax.Array]:
        mean = x.mean(0)
        normed = (x - mean) * jax.lax.rsqrt(x.var(0) + 1e-5)
        return normed, (1 - p["share"]) * p["mean"] + p["share"] * mean

    model = Norm()
    p = {"mean": model.norm.running_mean.numpy().copy(), "share": 0.1}
    report = diff(model, (port, p), (X,))
    assert report.same, str(report)
    assert report.outputs[1].gap < 1e-6
    (found,) = diff(model, (port, {**p, "share": 0.9}), (X,)).differences
    assert found.cause == "with momentum=0.1 in place of momentum=0.9, JAX agrees"


def test_weights_without_like_names_are_carried_over_in_their_order() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(6, 6, bias=False), torch.nn.Tanh(), torch.nn.Linear(6, 6, bias=False)
    )

    def port(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ p["early"].T) @ p["late"].T

    p = {name: np.random.default_rng(0).normal(size=(6, 6)) for name in ("early", "late")}
    assert diff(model, (port, p), (X,)).same


def test_nothing_of_a_model_changes() -> None:
    model, port = Net(), Port(nnx.Rngs(0))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    generator = torch.get_rng_state()
    report = diff(model, port, (X,), gradient=True)
    assert report.same, str(report)
    assert torch.equal(generator, torch.get_rng_state())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert model.training
    assert not any(value.grad is not None for value in model.parameters())
    assert not model._forward_hooks


def test_weights_of_new_modules_are_carried_over_by_name() -> None:
    model, port = Net().eval(), Port(nnx.Rngs(0))
    port.eval()
    report = diff(model, port, (X,))
    assert report.same, str(report)
    assert any("carried over by name and shape" in note for note in report.notes)


def test_the_backward_pass_has_the_lines_of_the_forward_pass() -> None:
    def original(x: torch.Tensor) -> torch.Tensor:
        y = torch.tanh(x)
        return (y * y).sum()

    def port(x: jax.Array) -> jax.Array:
        y = jnp.tanh(x)
        return (y * jax.lax.stop_gradient(y)).sum()

    assert diff(original, port, (X,)).same
    (found,) = diff(original, port, (X,), gradient=True).differences
    assert "y * y" in found.places[0].line.text


def test_functions_of_one_framework() -> None:
    def scaled(x: jax.Array) -> jax.Array:
        return jnp.tanh(x * 0.5)

    def scaled_more(x: jax.Array) -> jax.Array:
        return jnp.tanh(x * 0.75)

    (found,) = diff(scaled, scaled_more, (X,)).differences
    assert [place.side for place in found.places] == ["JAX 1", "JAX 2"]
    assert "0.5" in found.cause
    assert "0.75" in found.cause


def test_a_module_that_a_function_reads_is_compared_in_float64() -> None:
    norm, other = torch.nn.LayerNorm(6), torch.nn.LayerNorm(6, eps=2e-5)

    def first(x: torch.Tensor) -> torch.Tensor:
        return norm(x)

    def second(x: torch.Tensor) -> torch.Tensor:
        return other(x)

    report = diff(first, second, (X,))
    assert report.dtype == "float64"
    assert not report.same


def test_a_side_that_only_runs_in_float32_is_compared_in_it() -> None:
    weight = torch.ones(6)
    layers = {"weight": weight}

    def original(x: torch.Tensor) -> torch.Tensor:
        return x @ layers["weight"]

    report = diff(original, lambda x: x @ jnp.ones(6), (X,))
    assert report.same
    assert "does not run in float64" in report.notes[0]


def test_an_output_in_another_order_differs() -> None:
    def flat(x: jax.Array) -> jax.Array:
        return jnp.tanh(x).transpose(0, 2, 3, 1).reshape(len(x), -1)

    x = np.random.default_rng(0).normal(size=(2, 3, 5, 5)).astype(np.float32)
    (found,) = diff(lambda x: torch.tanh(x).flatten(1), flat, (x,)).differences
    assert "the output has the same numbers in another order" in found.cause
    assert diff(torch.tanh, lambda x: jnp.tanh(x).transpose(0, 2, 3, 1), (x,)).same


def test_modules_that_a_function_of_jax_reads_are_weights_and_stay_as_they_are() -> None:
    class Jitted(nnx.Module):
        def __init__(self) -> None:
            self.linear = nnx.Linear(6, 4, rngs=nnx.Rngs(0))

        @nnx.jit
        def __call__(self, x: jax.Array) -> jax.Array:
            return self.linear(x)

    linear, net = torch.nn.Linear(6, 4), Jitted()
    report = diff(lambda x: torch.tanh(linear(x)), lambda x: jnp.tanh(net(x)), (X,))
    assert report.same
    assert "net.linear.kernel from weight" in report.notes[0]
    assert report.outputs[0].gap < 1e-6  # in their own dtypes, also with the first's weights
    assert net.linear.kernel.shape == (6, 4)


def test_values_of_python_may_decide_on_branches_and_shapes() -> None:
    def of_torch(x: torch.Tensor, rows: int, flip: bool, name: str | None) -> torch.Tensor:
        return torch.sin(x).reshape(rows, -1) * (-1 if flip else 1)

    def of_jax(x: jax.Array, rows: int, flip: bool, name: str | None) -> jax.Array:
        return jnp.sin(x).reshape(rows, -1) * (-1 if flip else 1)

    for name in (None, "a"):
        assert diff(of_torch, of_jax, (X, 2, True, name)).same


def test_complex_gradients_are_compared_as_conjugates() -> None:
    x = (X + 1j * X[::-1]).astype(np.complex64)
    assert diff(torch.sin, jnp.sin, (x,), gradient=True).same
    assert diff(
        lambda x: torch.sin(x).abs(), lambda x: jnp.abs(jnp.sin(x)), (x,), gradient=True
    ).same
    with pytest.raises(ValueError, match="no output of PyTorch depends"):
        diff(lambda x: torch.sin(x) > 0, lambda x: jnp.sin(x) > 0, (X,), gradient=True)


def test_a_side_may_take_gradients_itself() -> None:
    def of_torch(x: torch.Tensor) -> torch.Tensor:
        x = x.requires_grad_()
        return torch.autograd.grad(torch.sin(x).sum(), x)[0]

    assert diff(of_torch, jax.grad(lambda x: jnp.sin(x).sum()), (X,)).same


def test_random_numbers_are_said() -> None:
    dropout = torch.nn.Dropout()
    report = diff(dropout, lambda x: x * 1.0 + jnp.zeros(6), (X,))
    assert any("PyTorch draws random numbers" in note for note in report.notes)


def test_nan_of_both_is_the_same_and_said() -> None:
    report = diff(lambda x: torch.log(x), lambda x: jnp.log(x), (-np.abs(X),))
    assert report.same
    assert any(note.startswith("NaN in output of PyTorch, first from log") for note in report.notes)


@pytest.mark.parametrize(
    ("second", "options", "error", "message"),
    [
        (lambda x: (jnp.sin(x), x), {}, ValueError, "returns 1 arrays (an array) and the second 2"),
        (Net, {}, TypeError, "second is the class Net: pass an instance"),
        (3, {}, TypeError, "second must be a function, a module"),
        ((1, 2, 3), {}, TypeError, "second is a tuple of 3"),
        (Net(), {"weights": {"linear.wait": "x"}}, ValueError, "the first side has no weight 'x'"),
    ],
)
def test_bad_input(second: object, options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        diff(Net().eval(), second, (X,), **options)


def test_functions_over_devices_are_refused() -> None:
    with pytest.raises(TypeError, match="pass the function inside it"):
        diff(torch.sin, jax.pmap(jnp.sin), (X[:1],))


def test_inputs_must_be_a_tuple() -> None:
    with pytest.raises(TypeError, match=re.escape("write (x,)")):
        diff(Net(), Net(), X)


def test_gradients_behind_a_last_norm_are_more_than_roundings() -> None:
    # A norm's gradient of the squares of its outputs is almost 0, of which roundings are a part.
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.BatchNorm1d(64)).train()
    x = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    assert diff(model, copy.deepcopy(model), (x,), gradient=True).same
