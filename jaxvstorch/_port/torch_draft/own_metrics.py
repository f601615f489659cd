"""Metrics as flax's NNX has them: sums that each batch adds to."""

import torch


class Average:
    """The average of the values that have been given by a name."""

    def __init__(self, argname="values"):
        self.argname = argname
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    def update(self, **values):
        new = torch.as_tensor(values[self.argname]).detach()
        self.total = self.total + new.sum()
        self.count += new.numel()

    def compute(self):
        return self.total / self.count


class Accuracy(Average):
    """The share of labels that the largest logit, or one above a threshold, agrees with."""

    def __init__(self, threshold=None):
        super().__init__()
        self.threshold = threshold

    def update(self, *, logits, labels, **_):
        labels = torch.as_tensor(labels)
        if self.threshold is None:
            right = logits.argmax(-1) == labels
        else:
            right = (logits >= self.threshold) == (labels > 0)
        super().update(values=right)


class MultiMetric:
    """Several metrics that are updated together."""

    def __init__(self, **metrics):
        self.metrics = metrics

    def reset(self):
        for metric in self.metrics.values():
            metric.reset()

    def update(self, **values):
        for metric in self.metrics.values():
            metric.update(**values)

    def compute(self):
        return {name: metric.compute() for name, metric in self.metrics.items()}
