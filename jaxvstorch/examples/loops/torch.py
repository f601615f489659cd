"""Loops in PyTorch.

People write Python loops. The loops that stay loops in a compiled graph are prototypes in
PyTorch 2.13: ``torch.while_loop``, and others in a private module.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch._higher_order_ops import associative_scan


def _step(state: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """One step of the recurrence: a tenth of the way from each element to one."""
    return 0.9 * state + 0.1


def _unfinished(remaining: Int[Tensor, ""], _: Float[Tensor, " n"]) -> Tensor:
    return remaining > 0


def _step_down(remaining: Int[Tensor, ""], state: Float[Tensor, " n"]) -> tuple[Tensor, Tensor]:
    return remaining - 1, _step(state)


def evolve_python(state: Float[Tensor, " n"], num_steps: int) -> Float[Tensor, " n"]:
    """Take ``num_steps`` steps in a Python loop: tracing records every step."""
    for _ in range(num_steps):
        state = _step(state)
    return state


def evolve_fori(state: Float[Tensor, " n"], num_steps: int) -> Float[Tensor, " n"]:
    """Take the steps in one loop of the program; PyTorch has no fori_loop, so the carry counts."""

    def unfinished(count: Tensor, _: Tensor) -> Tensor:
        return count < num_steps

    def step(count: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return count + 1, _step(state)

    return torch.while_loop(unfinished, step, (torch.tensor(0), state))[1]


def evolve_while(state: Float[Tensor, " n"], num_steps: Int[Tensor, ""]) -> Float[Tensor, " n"]:
    """Take a number of steps that only the running program knows: the carry counts down."""
    return torch.while_loop(_unfinished, _step_down, (num_steps, state))[1]


def evolve_scan(state: Float[Tensor, " n"], num_steps: int) -> Float[Tensor, " n"]:
    """Take a fixed number of steps: PyTorch has no public scan, and people write a Python loop."""
    for _ in range(num_steps):
        state = _step(state)
    return state


def evolve_scan_unrolled(state: Float[Tensor, " n"], num_steps: int) -> Float[Tensor, " n"]:
    """The same in one loop of the program, with four steps unrolled in each iteration."""

    def unfinished(count: Tensor, _: Tensor) -> Tensor:
        return count < num_steps // 4

    def four_steps(count: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return count + 1, evolve_python(state, 4)

    state = torch.while_loop(unfinished, four_steps, (torch.tensor(0), state))[1]
    return evolve_python(state, num_steps % 4)


def sqrt_python(a: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Newton's square root of positive numbers; the Python loop needs values: a graph break."""
    root = (a + 1) / 2
    while _inexact(root, a):
        root = (root + a / root) / 2
    return root


def sqrt_while(a: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The same in the compiled program, which runs until the last element has converged."""

    def step(root: Tensor) -> tuple[Tensor]:
        return ((root + a / root) / 2,)

    return torch.while_loop(lambda root: _inexact(root, a), step, ((a + 1) / 2,))[0]


def _inexact(root: Float[Tensor, " n"], a: Float[Tensor, " n"]) -> Tensor:
    """Whether any square is off by more than eight roundings."""
    return torch.any(torch.abs(root * root - a) > 8 * torch.finfo(a.dtype).eps * a)


def density_map(points: Float[Tensor, " n"], centres: Float[Tensor, " m"]) -> Float[Tensor, " m"]:
    """Mean Gaussian bump of all points at each center, one center after another."""
    return torch.stack([torch.exp(-((points - centre) ** 2)).mean() for centre in centres])


def density_vmap(points: Float[Tensor, " n"], centres: Float[Tensor, " m"]) -> Float[Tensor, " m"]:
    """The same for all centres at once: no loop at all."""
    return torch.vmap(lambda centre: torch.exp(-((points - centre) ** 2)).mean())(centres)


def recurrence_sequential(
    decay: Float[Tensor, "steps n"], drive: Float[Tensor, "steps n"]
) -> Float[Tensor, "steps n"]:
    """All states of ``state = decay * state + drive``, from zero, one after the other."""
    state, states = torch.zeros_like(drive[0]), []
    for row_decay, row_drive in zip(decay, drive, strict=True):
        state = row_decay * state + row_drive
        states.append(state)
    return torch.stack(states)


def recurrence_associative(
    decay: Float[Tensor, "steps n"], drive: Float[Tensor, "steps n"]
) -> Float[Tensor, "steps n"]:
    """The same in parallel: two consecutive steps make one step of the same form."""

    def compose(
        first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        (decay, drive), (later_decay, later_drive) = first, second
        return later_decay * decay, later_decay * drive + later_drive

    return associative_scan(compose, (decay, drive), dim=0, combine_mode="generic")[1]
