"""One step on several processes is the step of one, and sends what the page says."""

from pathlib import Path

import numpy as np
import pytest
from several import need

from jaxvstorch.examples.parallelism import reference
from jaxvstorch.examples.parallelism.processes import run_processes, share

HERE = Path(__file__).parent
# Of PyTorch, which all_torch takes gradients of.
LOSSES = {
    *("mse_loss", "huber_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy"),
    *("l1_loss", "binary_cross_entropy_with_logits", "summed", "cross_entropy", "by_hand"),
}
# Between float32 and the reference in float64.
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(scope="module")
def stepped() -> tuple[np.ndarray, ...]:
    """The loss, the matrices after the step, and their gradients, in float64."""
    w1, w2, x, y = (array.astype(np.float64) for array in share.training())
    loss, new1, new2 = reference.train_step(w1, w2, x, y)
    return loss, new1, new2, (w1 - new1) / 0.1, (w2 - new2) / 0.1


def written(program: str, processes: int, folder: Path) -> list[dict[str, np.ndarray]]:
    """What each process of a program of this folder wrote."""
    ended = run_processes(HERE / f"{program}.py", processes, str(folder), PYTHONWARNINGS="error")
    assert [process.code for process in ended] == [0] * processes, ended
    return [dict(np.load(folder / f"{process}.npz")) for process in range(processes)]


def named(found: dict[str, np.ndarray], name: str) -> list[np.ndarray]:
    """What was written under a name, in its order."""
    return [value for key, value in found.items() if key.rpartition(".")[0] == name]


def assert_close(found: list[np.ndarray], wanted: tuple[np.ndarray, ...]) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, **TOLERANCE)


def assert_sent(found: dict[str, np.ndarray], sent: dict[str, list[tuple[str, str]]]) -> None:
    assert {way: [tuple(each) for each in named(found, f"{way}.sent")] for way in sent} == sent


@pytest.mark.parametrize("processes", [2, 4])
def test_jax_takes_the_step_of_one_process(processes, stepped, tmp_path) -> None:
    need("jax")
    everywhere = written("all_jax", processes, tmp_path)
    for found in everywhere:
        for way in ("data", "tensor"):
            assert_close(named(found, f"{way}.step"), stepped[:3])
            assert_close(named(found, f"{way}.slopes"), stepped[3:])
        assert_close(named(found, "shard_map.slopes"), stepped[3:])
        cut, rows = 32 // processes, 8 // processes
        assert [*map(tuple, named(found, "data.held"))] == [(8, 32), (32, 8), *[(rows, 8)] * 2]
        assert [*map(tuple, named(found, "tensor.held"))] == [(8, cut), (cut, 8), (8, 8), (8, 8)]
        # Both matrices and the loss in one; in the other way what the network gives.
        sent = {"data": [("all-reduce", "2052")], "tensor": [("all-reduce", "256")]}
        assert_sent(found, sent)
    assert_told_differently(everywhere)


def assert_told_differently(everywhere: list[dict[str, np.ndarray]]) -> None:
    """Rows whose number differs have another mean in each process; and so may a whole array."""
    processes = len(everywhere)
    counts = [8 // processes + (p == 0) - (p == processes - 1) for p in range(processes)]
    total = sum(count * (process + 1) for process, count in enumerate(counts))
    for process, found in enumerate(everywhere):
        assert named(found, "uneven.shape") == [counts[process] * processes]
        (mean,) = named(found, "uneven.mean")
        assert mean == pytest.approx(total / (counts[process] * processes))
        assert named(found, "uneven.sum") == [total]
        assert named(found, "believed") == [process]
        *shape, same, nan, spread = map(str, named(found, "refused"))
        assert "spans non-addressable (non process local) devices" in spread
        assert "not the same on each process" in same
        assert "not the same on each process" in nan  # though it is
        assert bool(shape) == (counts[process] != 8 // processes)
        assert all("should match either global or process shape" in text for text in shape)


@pytest.mark.parametrize("processes", [2, 4])
def test_pytorch_takes_the_step_of_one_process(processes, stepped, tmp_path) -> None:
    need("torch")
    everywhere = written("all_torch", processes, tmp_path)
    for found in everywhere:
        for way in ("data", "tensor"):
            assert_close(named(found, f"{way}.step"), stepped[:3])
        for way in ("DDP", "FSDP2", "tensor parallel"):
            transposed = tuple(array.T for array in stepped[1:])
            assert_close(named(found, f"{way}.weights"), transposed[:2])
            assert_close(named(found, f"{way}.slopes"), transposed[2:])
        assert_close(named(found, "tensor parallel.loss"), stepped[:1])
        cut, rows = 32 // processes, 8 // processes
        assert [*map(tuple, named(found, "DDP.held"))] == [(32, 8), (8, 32)]
        assert [*map(tuple, named(found, "FSDP2.held"))] == [(cut, 8), (rows, 32)]
        assert [*map(tuple, named(found, "tensor parallel.held"))] == [(cut, 8), (8, cut)]
        sent = {
            "data": [("all-reduce", "4"), ("all-reduce", "1024"), ("all-reduce", "1024")],
            "tensor": [("all-reduce", "256")] * 2,
            "DDP": [("all-reduce", "2048")],
            "FSDP2": [("all-gather", "1024")] * 4
            + [("reduce-scatter", str(1024 // processes))] * 2,
            "tensor parallel": [("all-reduce", "256")],
        }
        assert_sent(found, sent)
    # DDP and FSDP2 give each process the loss of its own rows.
    for way in ("DDP", "FSDP2"):
        losses = [named(found, f"{way}.loss")[0] for found in everywhere]
        assert len({float(loss) for loss in losses}) == processes
        np.testing.assert_allclose(np.mean(losses), stepped[0], **TOLERANCE)
    assert_uneven_mean(everywhere)
    assert_losses_of_dtensor(everywhere)
    assert [named(found, "began") for found in everywhere] == [[7]] * processes
    for found in everywhere:
        # Of parts of which one is smaller, the loss is wrong too.
        cut, whole, by_hand = named(found, "unequal")
        assert by_hand == pytest.approx(whole)
        assert cut != pytest.approx(whole, rel=1e-3)
        # The first step of DDP is one bucket; a limit of 1 KiB closes each at the weight beyond.
        sums = [size for name, size in named(found, "bucketed") if name == "all-reduce"]
        assert sums == ["8192", "4096", "4096"]
        # What the whole module alone holds is gathered once, all together.
        root = [("all-gather", "2048"), ("reduce-scatter", str(2048 // processes))]
        assert [tuple(each) for each in named(found, "unwrapped")] == root


def assert_uneven_mean(everywhere: list[dict[str, np.ndarray]]) -> None:
    """DDP takes the mean of the processes' means, of as many rows as each had."""
    processes = len(everywhere)
    counts = [8 // processes + (p == 0) - (p == processes - 1) for p in range(processes)]
    w1, w2, x, y = (array.astype(np.float64) for array in share.training())
    ends = np.cumsum(counts)
    steps = [
        reference.train_step(w1, w2, x[end - count : end], y[end - count : end])[1:]
        for count, end in zip(counts, ends, strict=True)
    ]
    slopes = [(w1 - np.mean([s[0] for s in steps], 0)) / 0.1]
    slopes += [(w2 - np.mean([s[1] for s in steps], 0)) / 0.1]
    whole = reference.train_step(w1, w2, x, y)[1:]
    for found in everywhere:
        for got, uneven, weight, new in zip(
            named(found, "uneven"), slopes, (w1, w2), whole, strict=True
        ):
            np.testing.assert_allclose(got, uneven.T, **TOLERANCE)
            assert np.abs(got - (weight - new).T / 0.1).max() > 1e-3


def assert_losses_of_dtensor(everywhere: list[dict[str, np.ndarray]]) -> None:
    """Of a batch that is cut, some losses of PyTorch have gradients too large by the processes."""
    for found in everywhere:
        factors = {
            key.partition(".")[0]: np.unique(np.round(found[key] / found[key[:-1] + "1"], 4))
            for key in found
            if key.endswith(".slopes.0") and key.partition(".")[0] in LOSSES
        }
        wrong = ("mse_loss", "huber_loss", "smooth_l1_loss", "soft_margin_loss")
        wrong += ("binary_cross_entropy",)
        right = ("l1_loss", "binary_cross_entropy_with_logits", "summed", "cross_entropy")
        right += ("by_hand",)
        wanted = {name: [len(everywhere)] for name in wrong} | {name: [1] for name in right}
        assert {name: list(factor) for name, factor in factors.items()} == wanted
