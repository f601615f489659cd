"""What a replay reports of the calls of small functions."""

import copy
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.replay import Replay  # noqa: E402
from jaxvstorch._port.report_data import PortStatus  # noqa: E402


def replayed(function, *args):
    """The calls of a function, by name."""
    with Replay() as replay:
        function(*args)
    return {call.name: call for line in replay.report.lines.values() for call in line.calls}


def test_numbers_gathered_into_one_argument() -> None:
    calls = replayed(lambda x: x.permute(2, 0, 1), torch.ones(2, 3, 4))
    assert calls["Tensor.permute"].status == PortStatus.VERIFIED
    assert calls["Tensor.permute"].becomes == "jnp.transpose(x, (2, 0, 1))"


def test_names_of_numpy_that_pytorch_takes() -> None:
    def sums(x):
        return torch.zeros(size=(2, 3)) + x.sum(axis=1, keepdims=True)

    calls = replayed(sums, torch.ones(2, 3))
    assert calls["torch.zeros"].becomes == "jnp.zeros((2, 3))"
    assert calls["Tensor.sum"].becomes == "jnp.sum(x, axis=1, keepdims=True)"
    assert {call.status for call in calls.values()} == {PortStatus.VERIFIED}


def test_a_flag_times_one_is_a_number() -> None:
    calls = replayed(lambda x: (x > 0) * 1, torch.ones(2))
    assert calls["Tensor.mul"].becomes == "(x > 0) * 1"


def test_an_integer_that_is_left_open_is_no_difference() -> None:
    def buckets(x):
        large = 8 + (torch.log(x) * 2).long()
        large = torch.minimum(large, torch.full_like(large, 15))
        return torch.where(x < 1, x.to(torch.int64), large)

    calls = replayed(buckets, torch.tensor([0.0, 1.0, 100.0]))
    assert {call.status for call in calls.values()} == {PortStatus.VERIFIED}
    assert "what -inf becomes as an integer is left open" in calls["Tensor.long"].note
    apart = replayed(lambda x: x.long() + 1, torch.tensor([3e9]))  # JAX's setting, and no such cast
    assert {call.status for call in apart.values()} == {PortStatus.DIFFERS}


def test_a_device_is_no_dtype() -> None:
    calls = replayed(lambda x: x.to(torch.device("cpu")), torch.ones(2))
    assert calls["Tensor.to"].status == PortStatus.VERIFIED
    assert calls["Tensor.to"].becomes == "x"


def test_what_pytorch_begins_at_by_default() -> None:
    call = replayed(lambda: torch.arange(end=5))["torch.arange"]
    assert (call.status, call.becomes) == (PortStatus.VERIFIED, "jnp.arange(0, 5)")


@pytest.mark.parametrize("options", [{"indexing": "xy"}, {"indexing": "ij"}, {}])
@pytest.mark.filterwarnings("ignore:torch.meshgrid")
def test_a_grid_is_seen_through_pytorch_s_own_function(options) -> None:
    x = torch.arange(3)
    calls = replayed(lambda: torch.meshgrid(x, x + 1, **options))
    assert calls["torch.meshgrid"].status == PortStatus.VERIFIED


def test_argument_types_decide_between_sizes() -> None:
    def draws(n, size):
        return torch.randn(n), torch.rand(size)

    calls = replayed(draws, 3, (2, 3))
    assert calls["torch.randn"].becomes == "jax.random.normal(key, (n,))"
    assert calls["torch.rand"].becomes == "jax.random.uniform(key, size)"
    assert {call.status for call in calls.values()} == {PortStatus.RANDOM}


def test_random_integers_below_a_number() -> None:
    calls = replayed(lambda: torch.randint(50, (2, 16)))
    assert calls["torch.randint"].status == PortStatus.RANDOM
    assert calls["torch.randint"].becomes == "jax.random.randint(key, (2, 16), 0, 50)"


def test_argument_types_are_those_that_all_calls_share() -> None:
    def sums(x, dim):
        return x.sum(dim)

    x = torch.ones(2, 3)
    with Replay() as replay:
        sums(x, 0)
        sums(x, (0, 1))
    assert list(replay.argument_types.values()) == [("Tensor", "")]


def test_an_augmented_assignment_reads_and_writes() -> None:
    def adds(x):
        x[:, 0] += 1

    calls = replayed(adds, torch.ones(2, 3))
    assert calls["Tensor.__getitem__"].becomes == "x[:, 0]"
    assert calls["Tensor.__setitem__"].becomes == "x = x.at[:, 0].add(1)"


def test_functions_that_choose_what_they_return() -> None:
    def distinct(x):
        torch.unique(x)
        torch.unique(x, return_inverse=True, return_counts=True)
        torch.unique_consecutive(x)

    x = torch.tensor([1, 1, 2])
    with Replay() as replay:
        distinct(x)
    statuses = [(call.name, call.status) for line in replay.report.lines.values()
             for call in line.calls]  # fmt: skip
    assert statuses == [("torch.unique", PortStatus.VERIFIED)] * 2 + [
        ("torch.unique_consecutive", PortStatus.VERIFIED)
    ]


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_nothing_fails_quietly() -> None:
    x = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)
    assert replayed(lambda: x.reshape(2, 1))["Tensor.reshape"].status == PortStatus.FAILED


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: torch.mm(x, x), "torch.mm"),  # it calls itself torch.spmm
        (lambda x: x**2, "torch.pow"),
        (lambda x: torch.split(x, 1), "torch.split"),
    ],
)
def test_functions_whose_own_name_differs_from_the_map_s(function, name) -> None:
    assert replayed(function, torch.ones(2, 2))[name].status == PortStatus.VERIFIED


def test_batch_normalization_in_training_and_after_it() -> None:
    layer = torch.nn.BatchNorm1d(3)
    x = torch.arange(12.0).reshape(4, 3)
    training = replayed(layer, x)["torch.nn.BatchNorm1d"]
    assert training.status == PortStatus.VERIFIED
    assert "use_running_average=False" in (training.becomes or "")
    assert "running averages" in training.note
    after = replayed(layer.eval(), x)["torch.nn.BatchNorm1d"]
    assert (after.status, after.note) == (PortStatus.VERIFIED, "")
    assert "use_running_average=True" in (after.becomes or "")


def test_dropout_between_the_layers_of_a_recurrent_network() -> None:
    layer = torch.nn.LSTM(2, 3, num_layers=2, dropout=0.5)
    x = torch.ones(4, 1, 2)
    assert replayed(layer, x)["torch.nn.LSTM"].status == PortStatus.RANDOM
    assert replayed(layer.eval(), x)["torch.nn.LSTM"].status == PortStatus.VERIFIED


def test_an_order_of_equal_values_that_is_not_stable() -> None:
    x = torch.zeros(64, dtype=torch.int64)
    x[::3] = 1
    calls = replayed(lambda: x.sort(0))["Tensor.sort"]
    assert calls.status == PortStatus.VERIFIED or "stable=True" in calls.note


def test_cat_with_what_pytorch_skips() -> None:
    calls = replayed(lambda x: torch.cat([torch.zeros(0), x], dim=-2), torch.ones(2, 3))
    assert calls["torch.cat"].status == PortStatus.ANOTHER_WAY
    assert "leave out" in calls["torch.cat"].note


def test_an_error_of_port_does_not_reach_the_program(monkeypatch) -> None:
    def fails(*_):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("jaxvstorch._port.undefined.judge", fails)
    calls = replayed(torch.relu, torch.ones(2))
    assert calls["torch.relu"].status == PortStatus.FAILED
    assert "of ours" in calls["torch.relu"].note


def test_an_error_in_writing_a_module_does_not_reach_the_program(
    monkeypatch,
) -> None:
    monkeypatch.setattr("jaxvstorch._port.translation.filled_module", lambda *_: {}["of ours"])
    calls = replayed(torch.nn.ReLU(), torch.ones(2))
    assert (calls["torch.nn.ReLU"].status, calls["torch.nn.ReLU"].becomes) == (
        PortStatus.VERIFIED,
        None,
    )
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1)
    assert replayed(optimizer.step)["torch.optim.SGD"].becomes is None


def test_a_method_of_what_a_pasted_function_gives() -> None:
    norm = torch.nn.InstanceNorm2d(4)
    call = replayed(lambda x: norm(x), torch.randn(2, 4, 8, 8))["torch.nn.InstanceNorm2d"]
    assert call.status == PortStatus.VERIFIED
    assert call.becomes.startswith("paste.instance_norm(x if x.ndim == 4")
    assert call.becomes.endswith(".reshape(x.shape)")


@pytest.mark.parametrize("cell", ["RNNCell", "LSTMCell", "GRUCell"])
def test_a_cell_without_a_state_begins_at_zero(cell) -> None:
    call = replayed(getattr(torch.nn, cell)(3, 5), torch.randn(2, 3))[f"torch.nn.{cell}"]
    assert call.status == PortStatus.VERIFIED


def test_a_method_on_a_line_below_its_array() -> None:
    def below(x):
        return (
            x
            + 1
        ).sum()  # fmt: skip

    assert replayed(below, torch.ones(2))["Tensor.sum"].becomes == "jnp.sum(x + 1)"


def test_a_replay_keeps_the_program_s_random_numbers() -> None:
    def draws():
        torch.manual_seed(3)
        layer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
        return layer(torch.rand(3, 2)), torch.randint(9, (4,))

    alone = draws()
    with Replay():
        under = draws()
    assert all(torch.equal(a, b) for a, b in zip(alone, under, strict=True))


def test_an_initializer_that_a_library_replaced(monkeypatch) -> None:
    original = torch.nn.init.normal_

    def normal_(tensor, mean=0.0, std=1.0, generator=None):
        return original(tensor, mean=mean, std=std, generator=generator)

    monkeypatch.setattr(torch.nn.init, "normal_", normal_)
    calls = replayed(torch.nn.init.normal_, torch.ones(2))
    assert calls["torch.nn.init.normal_"].status == PortStatus.RANDOM


def test_torchvision_is_not_taken_for_torch() -> None:
    vision = str(Path(torch.__file__).parents[1] / "torchvision" / "ops.py")
    names = {"torch": torch}
    exec(compile("def halved(x):\n    return torch.relu(x) / 2", vision, "exec"), names)
    x = torch.ones(2)
    with Replay() as replay:
        names["halved"](x)
    assert {file for file, _ in replay.report.lines} == {vision}


def test_subclasses_and_modes_of_the_program_see_its_calls_alone() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, args, kwargs or {})

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    x = torch.ones(2).as_subclass(Logged)
    with Replay() as replay:
        torch.exp(x)
        x[0] = 3
        with Mode():
            torch.nn.functional.gelu(torch.ones(2))
    assert seen == ["exp", "__setitem__", "aten.ones.default", "aten.gelu.default"]
    assert set(replay.report.counts()) == {"verified"}


def test_an_argument_that_cannot_be_copied_is_no_error() -> None:
    class Stubborn(torch.Tensor):
        @staticmethod
        def __new__(cls):
            return torch.Tensor._make_wrapper_subclass(cls, (2,))

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            if "relu" not in str(function):
                raise NotImplementedError(str(function))
            return torch.zeros(2)

    with Replay() as replay:
        assert torch.relu(Stubborn()).tolist() == [0, 0]
    assert "torch.relu" in {c.name for x in replay.report.lines.values() for c in x.calls}


def test_the_indices_of_equal_values_in_topk() -> None:
    with Replay() as replay:
        torch.tensor([1.0, 5.0, 5.0, 5.0, 2.0, 5.0, 5.0]).topk(2)
    (call,) = (c for x in replay.report.lines.values() for c in x.calls if c.name == "Tensor.topk")
    assert call.status == "verified" or "equal elements" in call.note


def test_a_power_in_place() -> None:
    with Replay() as replay:
        x = torch.arange(3.0)
        x **= 2
    assert replay.report.counts() == {"verified": 2}


def test_a_method_under_another_name() -> None:
    with Replay() as replay:
        cast = torch.ones(2).to
        cast(torch.int64)
    (call,) = (c for x in replay.report.lines.values() for c in x.calls if c.name == "Tensor.to")
    assert call.status == "verified"
    assert call.becomes is None


def test_a_copy_of_a_module_is_no_call() -> None:
    assert replayed(lambda: copy.deepcopy(torch.nn.Linear(2, 2))) == {}


def test_no_hook_is_left() -> None:
    with Replay():
        torch.nn.Linear(2, 2)(torch.ones(1, 2))
    torch.compile(torch.nn.Linear(2, 2), backend="eager")(torch.ones(1, 2))  # it would warn
