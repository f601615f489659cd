"""Arrays of ones, and what calls with several of them compile."""

from jaxvstorch import ledger

EIGHT = range(16, 24)


def marked(torch, n: int, **limits: int):
    """A tensor whose first size ``torch.compile`` is told to leave open."""
    x = torch.ones(n)
    torch._dynamo.mark_dynamic(x, 0, **limits)
    return x


def traces(torch, function, tensors, **options) -> list[int]:
    """What each call with one tensor traced."""
    options = {"backend": "eager", **options}
    return ledger(torch.compile(function, **options), [(x,) for x in tensors]).traces


def traces_of_lengths(torch, function, lengths, **options) -> list[int]:
    """What each call with a vector of ones traced."""
    return traces(torch, function, [torch.ones(n) for n in lengths], **options)
