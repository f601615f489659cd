"""A ``state_dict`` is a dict of the tensors themselves."""

import copy
import io

import pytest


def step(model, optimizer, torch):
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()


def test_a_step_changes_the_state_dict_that_was_taken_before_it(torch) -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    step(model, optimizer, torch)
    weights, state = model.state_dict(), optimizer.state_dict()
    copied = copy.deepcopy((weights, state))
    step(model, optimizer, torch)
    assert torch.equal(weights["weight"], model.weight)
    assert not torch.equal(weights["weight"], copied[0]["weight"])
    assert state["state"][0]["step"] == 2
    assert copied[1]["state"][0]["step"] == 1


def test_a_model_copies_what_it_loads_and_an_optimizer_does_not(torch) -> None:
    first, second = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    optimizers = [torch.optim.AdamW(model.parameters()) for model in (first, second)]
    step(first, optimizers[0], torch)
    second.load_state_dict(first.state_dict())
    optimizers[1].load_state_dict(optimizers[0].state_dict())
    assert first.weight.data_ptr() != second.weight.data_ptr()
    mine = optimizers[1].state[second.weight]["exp_avg"]
    theirs = optimizers[0].state[first.weight]["exp_avg"]
    assert mine.data_ptr() == theirs.data_ptr()
    optimizers[1].load_state_dict(copy.deepcopy(optimizers[0].state_dict()))
    assert optimizers[1].state[second.weight]["exp_avg"].data_ptr() != theirs.data_ptr()


def test_a_model_compares_names_and_shapes_and_an_optimizer_counts(torch) -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.nn.Linear(3, 1).load_state_dict({"weight": torch.ones(1, 2), "x": torch.ones(1)})
    for part in ("Missing key(s)", "Unexpected key(s)", "size mismatch for weight"):
        assert part in str(caught.value)
    narrow, wide = torch.nn.Linear(2, 1), torch.nn.Linear(3, 1)
    optimizer = torch.optim.AdamW(narrow.parameters())
    step(narrow, optimizer, torch)
    other = torch.optim.AdamW(wide.parameters())
    other.load_state_dict(optimizer.state_dict())
    assert other.state[wide.weight]["exp_avg"].shape == (1, 2)
    alone = torch.optim.AdamW([wide.weight])
    with pytest.raises(ValueError, match="doesn't match the size"):
        alone.load_state_dict(optimizer.state_dict())


def test_a_dtype_is_converted_without_a_word(torch) -> None:
    model = torch.nn.Linear(2, 1)
    model.load_state_dict({name: x.bfloat16() for name, x in model.state_dict().items()})
    assert model.weight.dtype == torch.float32


def test_saving_is_the_copy(torch) -> None:
    model, buffer = torch.nn.Linear(2, 1), io.BytesIO()
    torch.save(model.state_dict(), buffer)
    before = model.weight.detach().clone()
    with torch.no_grad():
        model.weight.add_(1)
    assert torch.equal(torch.load(io.BytesIO(buffer.getvalue()))["weight"], before)
