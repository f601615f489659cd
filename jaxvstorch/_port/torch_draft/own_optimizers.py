"""Optimizers as a draft makes them where those of ``torch.optim`` do another step."""

import torch


def joined(schedules, boundaries):
    """Schedules one after another, each of which counts from its own boundary."""

    def schedule(step):
        begun = sum(step >= boundary for boundary in boundaries)
        return schedules[begun](step - boundaries[begun - 1] if begun else step)

    return schedule


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


class Optimizers(torch.optim.Optimizer):
    """Several optimizers, each of its own parameters, as one."""

    def __init__(self, *optimizers):
        self.optimizers = optimizers
        super().__init__([{"params": group["params"]} for each in optimizers
                          for group in each.param_groups], {})  # fmt: skip

    def step(self, closure=None):
        for optimizer in self.optimizers:
            optimizer.step()

    def state_dict(self):
        return {"optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}

    def load_state_dict(self, state_dict):
        for optimizer, state in zip(self.optimizers, state_dict["optimizers"], strict=True):
            optimizer.load_state_dict(state)


class Around(torch.optim.Optimizer):
    """An optimizer that decides when another one steps."""

    def __init__(self, optimizer):
        super().__init__([{"params": group["params"]} for group in optimizer.param_groups], {})
        self.optimizer = optimizer

    def gradients(self):
        parameters = (p for group in self.param_groups for p in group["params"])
        return {p: p.grad for p in parameters if p.grad is not None}

    def state_dict(self):
        return self.optimizer.state_dict()

    def load_state_dict(self, state_dict):
        self.optimizer.load_state_dict(state_dict)


class MultiSteps(Around):
    """Steps once in `every` calls of `step`, with the mean of their gradients."""

    def __init__(self, optimizer, every):
        super().__init__(optimizer)
        self.every, self.count, self.sums = every, 0, {}

    @torch.no_grad()
    def step(self, closure=None):
        self.count += 1
        gradients = self.gradients()
        for p, grad in gradients.items():
            self.sums[p] = self.sums.get(p, 0) + grad / self.every
        if self.count % self.every:
            return
        for p in gradients:
            p.grad = self.sums[p]
        self.optimizer.step()
        for p, grad in gradients.items():
            p.grad = grad
        self.sums = {}


class StepsIfFinite(Around):
    """Leaves out steps whose gradients are not finite, up to `most` of them in a row."""

    def __init__(self, optimizer, most):
        super().__init__(optimizer)
        self.most, self.in_a_row = most, 0

    def step(self, closure=None):
        finite = all(bool(torch.isfinite(grad).all()) for grad in self.gradients().values())
        self.in_a_row = 0 if finite else self.in_a_row + 1
        if finite or self.in_a_row > self.most:
            self.optimizer.step()
