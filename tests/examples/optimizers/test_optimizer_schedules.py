"""Learning rates by the count of steps, and what a compiler makes of them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

from torch import optim  # noqa: E402
from torch._dynamo.testing import CompileCounter  # noqa: E402
from torch.nn import Parameter  # noqa: E402
from torch.optim import lr_scheduler  # noqa: E402

from jaxvstorch.examples.optimizers import jax_optax, torch_optim  # noqa: E402


def one(value=0.0):
    return Parameter(torch.tensor([value]))


def rates(optimizer, scheduler, steps):
    """The learning rate of each step, read before it."""
    found = []
    for _ in range(steps):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def test_both_schedules_are_equal_up_to_their_end_and_not_beyond() -> None:
    optimizer = optim.SGD([one()], 0.01)
    found = rates(optimizer, torch_optim.warmup_cosine(optimizer, 4, 12), 17)
    schedule = jax_optax.warmup_cosine(0.01, 4, 12)
    expected = [float(schedule(count)) for count in range(17)]
    np.testing.assert_allclose(found[:13], expected[:13], rtol=1e-5)
    assert expected[13] == expected[16] == pytest.approx(0.001)
    assert found[16] > found[13] > 0.0013  # the cosine rises again


def test_a_line_of_torch_may_not_begin_at_zero_but_a_lambda_may() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        lr_scheduler.LinearLR(optim.SGD([one()], 1.0), start_factor=0.0)
    schedule = optax.linear_schedule(0.0, 1.0, 4)
    optimizer = optim.SGD([one()], 1.0)
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda count: float(schedule(count)))
    assert rates(optimizer, scheduler, 3) == [0.0, 0.25, 0.5]


def test_a_scheduler_that_steps_first_warns_and_skips_the_first_rate() -> None:
    parameter = one()
    parameter.grad = torch.ones(1)
    optimizer = optim.SGD([parameter], 1.0)
    scheduler = lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
    optimizer.step()
    assert parameter.item() == pytest.approx(-0.1)


def test_a_rate_in_torch_compile_is_a_constant_then_a_number_and_a_tensor_is_neither() -> None:
    def graphs(rate):
        torch.compiler.reset()
        counter, parameters = CompileCounter(), [one() for _ in range(2)]
        optimizer = optim.SGD(parameters, rate)
        scheduler = lr_scheduler.LinearLR(optimizer, total_iters=50)
        step = torch.compile(optimizer.step, backend=counter)
        for _ in range(6):
            for parameter in parameters:
                parameter.grad = torch.ones(1)
            step()
            scheduler.step()
        return counter.frame_count

    assert graphs(0.1) == 2
    assert graphs(torch.tensor(0.1)) == 1
