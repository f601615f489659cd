"""Calls that PyTorch hides, modules that are replayed in parts, and arrays of other kinds."""

import copy
import inspect
import socket

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port import hidden  # noqa: E402
from jaxvstorch._port.replay import Replay  # noqa: E402
from jaxvstorch._port.report_data import PortStatus  # noqa: E402

nn, F = torch.nn, torch.nn.functional


def replayed(function, *args):
    """The calls of a function, by name."""
    with Replay() as replay:
        function(*args)
    return {call.name: call for line in replay.report.lines.values() for call in line.calls}


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        return g


def test_a_gradient_of_one_s_own() -> None:
    calls = replayed(lambda x: _Sign.apply(x).sum().backward(), torch.ones(2, requires_grad=True))
    assert calls["_Sign.apply"].status == PortStatus.ANOTHER_WAY
    assert calls["_Sign.apply"].note.startswith("_Sign has its own gradient: `jax.custom_vjp`")
    assert calls["Tensor.sign"].status == PortStatus.VERIFIED


@pytest.mark.skipif(not torch.distributed.is_available(), reason="PyTorch has no processes here")
def test_data_parallel_training(monkeypatch) -> None:
    def trains():
        torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}",
                                             rank=0, world_size=1)  # fmt: skip
        try:
            net = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
            scaler = torch.amp.GradScaler("cpu")
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            with torch.autocast("cpu"), net.no_sync():
                loss = net(torch.ones(2, 3)).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            torch.distributed.all_reduce(loss.detach())
        finally:
            torch.distributed.destroy_process_group()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    calls = replayed(trains)
    ways = [name for name, call in calls.items() if call.status == PortStatus.ANOTHER_WAY]
    assert ways == [
        "torch.distributed.init_process_group", "torch.nn.parallel.DistributedDataParallel",
        "torch.amp.GradScaler", "torch.amp.autocast",
        "torch.nn.parallel.DistributedDataParallel.no_sync", "torch.amp.GradScaler.scale",
        "Tensor.backward", "torch.amp.GradScaler.step", "torch.amp.GradScaler.update",
        "torch.distributed.all_reduce", "torch.distributed.destroy_process_group",
    ]  # fmt: skip
    assert "lax.psum" in calls["torch.distributed.all_reduce"].note
    assert calls["torch.nn.Linear"].status == PortStatus.VERIFIED


def test_compilers_and_hooks() -> None:
    def compiles():
        def inner(x):
            return x * 2

        class Scripted(nn.Module):
            def forward(self, x):
                return inner(x)  # which the script looks up where it is made

        torch.jit.script(Scripted())(torch.ones(2))
        torch.compile(lambda x: x.tanh())(torch.ones(2))
        layer = nn.Linear(2, 2)
        layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        weight = torch.ones(2, requires_grad=True)
        weight.register_hook(lambda gradient: gradient * 2)
        layer(torch.ones(1, 2))

    calls = replayed(compiles)
    assert "PYTORCH_JIT=0" in calls["torch.jit.script"].note
    assert "`jax.jit(function)`" in calls["torch.compile"].note
    assert calls["Tensor.tanh"].status == PortStatus.VERIFIED
    assert calls["Module.register_forward_pre_hook"].status == PortStatus.ANOTHER_WAY
    assert "jax.custom_vjp" in calls["Tensor.register_hook"].note
    assert calls["torch.nn.Linear"].status == PortStatus.VERIFIED
    assert "a hook changes its input" in calls["torch.nn.Linear"].note


def test_a_hook_that_only_wraps_the_input() -> None:
    layer = nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, inputs, outputs: None)
    call = replayed(layer, torch.ones(1, 2, requires_grad=True))["torch.nn.Linear"]
    assert (call.status, call.note) == (PortStatus.VERIFIED, "")


@pytest.mark.filterwarnings("ignore:.*is deprecated")
def test_a_deprecated_name_is_at_the_program_s_line() -> None:
    with Replay() as replay:
        torch.cuda.amp.GradScaler(enabled=False)
        torch.cpu.amp.autocast()
    assert {file for file, _ in replay.report.lines} == {__file__}
    assert replay.report.counts() == {"done another way": 2}


def test_nothing_stays_wrapped_and_the_names_stay_the_same() -> None:
    before = [vars(h.owner)[h.attribute] for h in hidden._hidden()]
    signature = inspect.signature(torch.distributed.all_reduce)
    with Replay(), Replay():
        assert inspect.signature(torch.distributed.all_reduce) == signature
        copy.deepcopy(torch.distributed.all_reduce)
    assert [vars(h.owner)[h.attribute] for h in hidden._hidden()] == before


def test_a_block_in_a_block_sees_a_hidden_call_too() -> None:
    with Replay() as outer, Replay() as inner:
        torch.autocast("cpu")
    for replay in (outer, inner):
        ((_, number), line) = next(iter(replay.report.lines.items()))
        assert [call.name for call in line.calls] == ["torch.amp.autocast"]
        assert "autocast" in inspect.getsource(inspect.getmodule(replayed)).splitlines()[number - 1]


@pytest.mark.parametrize(
    ("module", "args", "status"),
    [
        (nn.MultiheadAttention(4, 2), [torch.ones(3, 1, 4)] * 3, PortStatus.ANOTHER_WAY),
        (nn.AvgPool3d(2), [torch.ones(1, 1, 2, 2, 2)], PortStatus.UNKNOWN),
        (nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)), [torch.ones(2)],
         PortStatus.UNKNOWN),
    ],
)  # fmt: skip
def test_a_module_that_is_not_replayed_is_said(module, args, status) -> None:
    (call,) = replayed(module, *args).values()
    assert call.name == f"torch.nn.{type(module).__name__}"
    assert call.status == status


def test_a_module_of_modules_is_its_parts() -> None:
    calls = replayed(nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Softmin(-1))), torch.ones(2))
    assert list(calls) == ["torch.nn.Linear", "torch.nn.Softmin"]


@pytest.mark.filterwarnings("error")
def test_calls_after_a_module_that_failed_are_replayed() -> None:
    def goes_on():
        with pytest.raises(TypeError):
            nn.Tanh()("no array")
        with pytest.raises(TypeError):
            nn.Softmin(-1)("no array")
        return torch.ones(2).sin()

    assert replayed(goes_on)["Tensor.sin"].status == PortStatus.VERIFIED


def test_attention_that_drops_needs_a_key() -> None:
    x = torch.randn(1, 2, 4, 8)
    call = replayed(lambda: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5))
    assert call["torch.nn.functional.scaled_dot_product_attention"].status == PortStatus.RANDOM
    call = replayed(lambda: F.scaled_dot_product_attention(x, x, x, dropout_p=0.0))
    assert call["torch.nn.functional.scaled_dot_product_attention"].status == PortStatus.VERIFIED


def test_autocast_runs_calls_in_its_own_dtype() -> None:
    layer = nn.Linear(8, 8)

    def casts(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = layer(x)
            z = torch.matmul(x, x)
            F.mse_loss(y, z)
            return (z + x).float()

    calls = replayed(casts, torch.randn(8, 8))
    matmul, loss = calls["torch.matmul"], calls["torch.nn.functional.mse_loss"]
    assert "autocast runs it in bfloat16: cast what it takes, .astype(jnp.bfl" in matmul.note
    assert "autocast runs it in float32" in loss.note
    assert "give the layer dtype=jnp.bfloat16" in calls["torch.nn.Linear"].note
    assert calls["Tensor.add"].note == calls["Tensor.float"].note == ""
    assert {matmul.status, loss.status} == {PortStatus.VERIFIED}
    assert "dtype:" not in matmul.note + loss.note


def test_sparse_arrays_are_replayed_dense() -> None:
    sparse = torch.eye(2).to_sparse()
    calls = replayed(lambda: (sparse @ torch.ones(2, 2), sparse.sum(), sparse.to_dense()))
    for name in ("Tensor.matmul", "Tensor.sum"):
        assert calls[name].status == PortStatus.VERIFIED
        assert "replayed with dense arrays" in calls[name].note
    assert "BCOO" in calls["Tensor.to_dense"].note
    assert replayed(lambda: sparse.mul_(2))["Tensor.mul_"].status == PortStatus.VERIFIED


def test_arrays_without_values_say_so() -> None:
    x = torch.zeros(2, device="meta")
    call = replayed(lambda: x.sin())["Tensor.sin"]
    assert call.status == PortStatus.FAILED
    assert "no data" in call.note


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_are_left_out() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    call = replayed(lambda: nested + nested)["Tensor.add"]
    assert (call.status, call.note.partition(":")[0]) == (
        PortStatus.FAILED, "nested tensors are left out"
    )  # fmt: skip


def test_the_draft_s_attention_drops_nothing_at_a_rate_of_0() -> None:
    """The rate is an integer where the program writes ``dropout_p=self.dropout if ... else 0``."""
    import jax

    from jaxvstorch._port.map.paste.attention import attention

    x = jax.numpy.ones((1, 2, 3, 4))
    assert (attention(x, x, x, dropout_p=0, rng=jax.random.key(0)) == attention(x, x, x)).all()
