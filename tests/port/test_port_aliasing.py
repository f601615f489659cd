"""Writes into memory that other variables share; each line says in a comment what changes too."""

import inspect
import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import jaxvstorch  # noqa: E402
from jaxvstorch._port.replay import Replay  # noqa: E402
from jaxvstorch._port.report_data import PortStatus  # noqa: E402


def views():
    x = torch.zeros(2, 3)
    x.view(-1).add_(1)  # changes x
    x.t()[0, 1] = 5.0  # changes x
    row, flags = x[0], x.view(torch.int32)
    row[0] = 2.0  # changes flags, x
    flags[1, 0] = 3  # changes x
    x.data[0] = 4  # changes row
    x[1].fill_(3)  # changes x
    x[0] *= 2  # changes row
    return x.sum() + row.sum()


def parts_that_do_not_overlap():
    x = torch.zeros(4)
    a, b = x.chunk(2)
    a += 1
    last = b[1]
    b[0] = 2
    b[1] = 2  # changes last
    return a + b + last


def a_base_that_is_not_read_again():
    x = torch.zeros(2, 3)
    v = x.view(-1)
    v.add_(1)
    return v


def split():
    x = torch.zeros(2, 4)
    for part in x.split(2, dim=1):
        part.mul_(2)  # changes x
    return x


def results_given_as_out():
    x, y = torch.ones(3), torch.zeros(3)
    view = y.expand(2, 3)
    torch.mul(x, 3, out=x)
    torch.add(x, x, out=y)  # changes view
    return view.sum() + y


def adds_one(x):
    x += 1  # changes a_caller_that_reads()'s t
    return x.sum()


def a_caller_that_reads():
    t = torch.zeros(3)
    total = adds_one(t)
    return total + t


def sets_one(x):
    x[0] = 1
    return x


def a_caller_that_assigns():
    t = torch.zeros(3)
    t = sets_one(t)
    return t


def steps_by_hand():
    net, w = torch.nn.Linear(2, 1), torch.ones(1, requires_grad=True)
    for _ in range(2):
        (net(torch.ones(1, 2)) * w).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
            for p in net.parameters():
                p.data.sub_(p.grad)  # changes a part of net
                p.grad.zero_()
    return net, w


class _Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.relu = torch.nn.ReLU(inplace=True)
        self.register_buffer("count", torch.zeros(2))
        torch.nn.init.zeros_(self.first.bias)
        self.first.weight.data.fill_(0.1)

    def forward(self, x):
        x = self.relu(self.first(x))
        h = x * 2
        y = self.relu(h)  # changes h
        self.count += 1
        self.count[0].mul_(0.5)  # changes self.count
        return h + y


def a_module_and_its_optimizer():
    net = _Counting()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    net.first.weight.data[0] = 1
    return net


def attributes_and_items():
    batch, xs = {"x": torch.ones(3)}, [torch.zeros(2) for _ in range(3)]
    x, shared = batch["x"], batch["x"].numpy()
    x.div_(2)  # changes batch['x'], shared
    xs[0] += 1
    xs[1][0] = 4
    first = xs[0]
    xs[0].mul_(2)  # changes first
    return batch, xs, shared, first


def a_data_set():
    data = torch.utils.data.TensorDataset(torch.ones(4, 2))
    for (x,) in data:
        x.mul_(2)  # changes a part of data
    return data


def functions_inside():
    x = torch.zeros(3)
    y, z = x.view(-1), x

    def inner():
        y[0] = 1  # changes functions_inside()'s x, functions_inside()'s z

    inner()
    return x + y + z


class _Ring:
    def __init__(self):
        self.data = torch.zeros(3, 2)

    def add(self, i, row):
        self.data[i] = row


def an_attribute_called_data():
    ring, kept = _Ring(), None
    for i in range(3):
        ring.add(i, torch.ones(2))
        kept = ring.data
    return kept


def without_counted_writes():
    with torch.inference_mode():
        x = torch.zeros(3)
        v = x.view(3, 1)
        v.add_(1)  # changes x
        return x.sum()


def arrays_that_share_nothing():
    x = torch.empty(3).normal_()
    y, z = x.clone(), torch.zeros(3).scatter_(0, torch.tensor([1]), 1.0)
    y[0] = z[1] = 1
    z.masked_fill_(x > 1, 5)
    torch.nn.functional.relu(x, inplace=True)
    return x, y, z


PROGRAMS = [
    views, parts_that_do_not_overlap, a_base_that_is_not_read_again, split, results_given_as_out,
    a_caller_that_reads, a_caller_that_assigns, steps_by_hand, a_module_and_its_optimizer,
    attributes_and_items, functions_inside, a_data_set, an_attribute_called_data,
    without_counted_writes,
    arrays_that_share_nothing,
]  # fmt: skip
COMMENTS = {
    number: sorted(line.split("# changes ")[1].split(", "))
    for number, line in enumerate(inspect.getsource(inspect.getmodule(views)).splitlines(), 1)
    if "# changes " in line and '"' not in line
}


def changed(report) -> dict[int, list[str]]:
    """By line, the variables that its calls are said to change too."""
    lines: dict[int, set[str]] = {}
    for (_, number), line in report.lines.items():
        for call in line.calls:
            if match := re.match(r"(.*?) changes? too: ", call.note):
                lines.setdefault(number, set()).update(match[1].split(", "))
                assert call.status == PortStatus.DIFFERS
    return {number: sorted(names) for number, names in lines.items()}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_else_changes_is_said(program) -> None:
    with Replay() as replay:
        program()
    found = changed(replay.report)
    lines, first = inspect.getsourcelines(program)
    own = range(first, first + len(lines))
    assert {n: names for n, names in found.items() if n in own} == {
        n: names for n, names in COMMENTS.items() if n in own
    }
    assert found.items() <= COMMENTS.items()


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("v = x.view(-1); v[0] = 1", "assign x = v.reshape(x.shape)"),
        ("v = x.t(); v[0] = 1", "assign x = v.T"),
        ("v = x; v += 1", "assign x = v"),
        ("x[0].fill_(1); v = x", "assign x = x.at[0].set(…)"),
        ("x[0, :2].fill_(1); v = x", "assign x = x.at[0, :2].set(…)"),
        ("v = x[:, 0]; v[0] = 1", "assign it too"),
    ],
)
def test_what_to_assign(tmp_path, line, hint) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"def f(x):\n    x = x + 0\n    {line}\n    return x, v\n")
    names = {"torch": torch}
    exec(compile(file.read_text(), file, "exec"), names)
    report = jaxvstorch.port(names["f"], torch.ones(2, 3))
    notes = [call.note for line in report.lines.values() for call in line.calls]
    assert f"x changes too: it is the same memory; {hint}" in "".join(notes)


def test_the_argument_of_port_is_its_caller_s() -> None:
    x = torch.ones(2)
    report = jaxvstorch.port(sets_one, x)
    assert changed(report) == {sets_one.__code__.co_firstlineno + 1: ["argument 1 of port()"]}


def test_a_program_that_keeps_its_variables_is_not_disturbed() -> None:
    def keeps():
        x = torch.zeros(2)
        before = locals()
        x.add_(1)
        return sorted(before)

    with Replay():
        names = keeps()
    assert "x" in names


def test_a_value_is_not_kept_alive() -> None:
    import weakref

    def drops():
        x = torch.zeros(2)
        seen = weakref.ref(x)
        x.add_(1)
        del x
        return seen()

    with Replay():
        assert drops() is None
