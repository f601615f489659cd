"""One-cycle learning rate.

``optax.cosine_onecycle_schedule`` reaches its peak and its end one step later than PyTorch's
``OneCycleLR``. Two cosines by ``optax.join_schedules`` are PyTorch's, where ``pct_start`` gives a
whole step.
"""

PAGE = "optimizers-schedules"
NAMES = ("torch.optim.lr_scheduler.OneCycleLR", "optax.cosine_onecycle_schedule")


def with_torch():
    import torch

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(()))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=1.0, total_steps=10, pct_start=0.3, div_factor=25, final_div_factor=1e4
    )
    rates = []
    for _ in range(10):
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return rates


def with_jax():
    import optax

    peak, steps = 1.0, 10
    top = 0.3 * steps - 1
    start, end = peak / 25, peak / 25 / 1e4
    rise = optax.cosine_decay_schedule(start, top, alpha=peak / start)
    fall = optax.cosine_decay_schedule(peak, steps - 1 - top, alpha=end / peak)
    schedule = optax.join_schedules([rise, fall], boundaries=[int(top)])
    return [schedule(step) for step in range(steps)]
