"""Steps of an optimizer, taken again in optax."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.replay import Replay  # noqa: E402


def steps(replay):
    """The calls of a replay that are steps of an optimizer."""
    calls = [call for line in replay.report.lines.values() for call in line.calls]
    return [call for call in calls if call.name.startswith("torch.optim.")]


def test_steps_follow_a_schedule() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    with Replay() as replay:
        for _ in range(3):
            weight.grad = torch.tensor([1.0, -2.0, 3.0])
            optimizer.step()
            schedule.step()
    first, *_, last = steps(replay)
    assert {step.status for step in steps(replay)} == {"verified"}
    assert "schedule" in last.note
    assert "schedule" not in first.note


def test_differing_groups_of_an_optimizer_have_a_note() -> None:
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
    rates = [{"params": [w], "weight_decay": number % 2} for number, w in enumerate(weights)]

    def step(groups):
        optimizer = torch.optim.AdamW(groups, lr=0.1)
        sum(weight.square().sum() for weight in weights).backward()
        optimizer.step()

    notes = []
    for groups in (rates, weights):
        with Replay() as replay:
            step(groups)
        (step_call,) = steps(replay)
        assert step_call.status == "verified"
        notes.append(step_call.note)
    assert "the 3 groups differ in weight_decay" in notes[0]
    assert "groups" not in notes[1]


@pytest.mark.parametrize(("before", "status"), [(0, "verified"), (1, "done another way")])
def test_adagrad_is_followed_from_its_first_step(before, status) -> None:
    """Its state is filled when it is made."""
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adagrad([weight], lr=0.1, initial_accumulator_value=0.1)
    weight.grad = torch.tensor([1.0, -2.0, 3.0])
    for _ in range(before):
        optimizer.step()
    with Replay() as replay:
        optimizer.step()
    (step,) = steps(replay)
    assert step.status == status
    assert ("it took steps before port watched it" in step.note) == bool(before)
