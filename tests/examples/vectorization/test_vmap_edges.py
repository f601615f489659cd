"""``vmap`` at the edges: axes from the end, bad options, roots that eight steps do not reach."""

import numpy as np
import pytest

from jaxvstorch._frameworks import adapter


@pytest.fixture
def vmap(framework):
    if framework == "jax":
        import jax

        return jax.vmap
    import torch

    return torch.vmap


def test_axes_are_counted_from_either_end_and_moved_to_where_out_axes_says(vmap, framework) -> None:
    x = adapter(framework).from_numpy(np.ones((3, 4), np.float32))
    assert tuple(vmap(lambda column: column * 2, 1, 1)(x).shape) == (3, 4)
    assert tuple(vmap(lambda column: column * 2, -1, 0)(x).shape) == (4, 3)


def test_a_function_of_no_argument_is_refused(vmap) -> None:
    with pytest.raises(ValueError, match="vmap"):
        vmap(lambda: 1)()


def test_options_that_torch_does_not_know(torch) -> None:
    x = torch.ones(3, 4)
    with pytest.raises(ValueError, match="chunk_size"):
        torch.vmap(torch.sum, chunk_size=0)(x)
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        torch.vmap(torch.rand_like, randomness="each")(x)


def test_same_draws_once_for_all_chunks(torch) -> None:
    draw = torch.vmap(lambda x: torch.rand(2), randomness="same", chunk_size=2)
    drawn = draw(torch.ones(3, 4))
    assert torch.equal(drawn, drawn[:1].expand(3, 2))


def test_eight_steps_of_newton_are_enough_and_not_many_more_than_needed(torch, in_torch) -> None:
    near, far = torch.tensor([0.1, 1, 100]), torch.tensor([1e12])
    torch.testing.assert_close(in_torch.newton_batch(near), near.sqrt())
    assert not torch.allclose(in_torch.newton_batch(far), far.sqrt())
