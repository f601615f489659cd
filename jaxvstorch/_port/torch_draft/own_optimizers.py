"""Optimizers as a draft makes them where those of ``torch.optim`` do another step."""

import torch


class RMSprop(torch.optim.Optimizer):
    """RMSprop with `eps` inside of the root, as optax has it."""

    def __init__(self, params, lr, decay=0.9, eps=1e-8, initial_scale=0.0, momentum=0.0):
        settings = {"lr": lr, "decay": decay, "eps": eps, "momentum": momentum}
        super().__init__(params, settings)
        self.initial_scale = initial_scale

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state, decay = self.state[p], group["decay"]
                square = state.setdefault("square", torch.full_like(p, self.initial_scale))
                square.mul_(decay).addcmul_(p.grad, p.grad, value=1 - decay)
                step = group["lr"] * p.grad * torch.rsqrt(square + group["eps"])
                if group["momentum"]:
                    trace = state.setdefault("trace", torch.zeros_like(p))
                    step = trace.mul_(group["momentum"]).add_(step)
                p.sub_(step)
