"""Learning-rate schedule.

PyTorch's scheduler writes the rate into the optimizer when you call ``step``. A schedule of optax
is a function of the step, given in place of the rate; the optimizer counts.
"""

PAGE = "optimizers-schedules"
NAMES = (
    "torch.optim.lr_scheduler.LRScheduler",
    "torch.optim.lr_scheduler._LRScheduler",
    "torch.optim.lr_scheduler.LambdaLR",
    "torch.optim.lr_scheduler.SequentialLR",
    "torch.optim.lr_scheduler.LinearLR",
    "torch.optim.lr_scheduler.ChainedScheduler",
    "optax.join_schedules",
    "optax.linear_schedule",
    "optax.warmup_cosine_decay_schedule",
)


def with_torch():
    import torch
    from torch.optim import lr_scheduler

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(()))], lr=0.1)
    warmup = lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3)
    decay = lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
    scheduler = lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[3])
    rates = []
    for _ in range(8):
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return rates


def with_jax():
    import optax

    warmup = optax.linear_schedule(0.25 * 0.1, 0.1, transition_steps=3)
    decay = optax.cosine_decay_schedule(0.1, decay_steps=5)
    schedule = optax.join_schedules([warmup, decay], boundaries=[3])  # optax.sgd(schedule)
    return [schedule(step) for step in range(8)]
