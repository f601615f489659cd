"""`torch.load` takes data and refuses code; a pickle is code."""

import io
import pathlib
import pickle

import numpy as np
import pytest


def saved(torch, what):
    buffer = io.BytesIO()
    torch.save(what, buffer)
    return io.BytesIO(buffer.getvalue())


def test_a_module_is_refused(torch) -> None:
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        torch.load(saved(torch, torch.nn.Linear(2, 2)))


@pytest.mark.parametrize("what", [np.float64(1), pathlib.Path("x"), np.ones(2)])
def test_so_are_numbers_and_arrays_of_numpy_and_paths(torch, what) -> None:
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(saved(torch, {"x": what}))


def test_the_state_of_numpys_generator_is_plain_data(torch) -> None:
    state = np.random.default_rng(0).bit_generator.state
    assert torch.load(saved(torch, state)) == state


def test_a_type_that_was_allowed_is_taken(torch) -> None:
    file = saved(torch, torch.nn.Linear(2, 2))
    with torch.serialization.safe_globals([torch.nn.Linear]):
        assert isinstance(torch.load(file), torch.nn.Linear)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    file.seek(0)
    assert isinstance(torch.load(file, weights_only=False), torch.nn.Linear)


def test_a_pickle_runs_what_it_names_and_weights_only_does_not(torch, tmp_path) -> None:
    touched = tmp_path / "touched"

    class Harmless:
        def __reduce__(self):
            return pathlib.Path.touch, (touched,)

    file = saved(torch, {"w": Harmless()})
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    assert not touched.exists()
    file.seek(0)
    torch.load(file, weights_only=False)
    assert touched.exists()
