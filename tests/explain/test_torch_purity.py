"""What a function changes in place under ``torch.compile``, and the random numbers it draws."""

import random

import pytest
from commented_functions import X, cases, check_comments, check_touched
from framework_versions import has

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

case, test_marks = cases("torch")

total = torch.zeros(4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


@pytest.fixture(autouse=True)
def random_numbers_as_before():
    state = torch.get_rng_state()
    yield
    torch.set_rng_state(state)


@case(X)
def changes_a_tensor_in_place(x):
    y = x + 1  # -> A1
    x.mul_(2)  # -> A1 ! impure
    return y + x  # -> A1


@case(X)
def gives_a_tensor_other_memory(x):
    x.data = x.data * 2  # -> A4 ! impure
    return x + 1  # -> A1


@case(X)
def changes_a_slice_in_place(x):
    x[:2] = 0  # -> A1 ! impure
    x += 1  # -> A1 ! impure
    return x * 2  # -> A1


@case(X, X)
def writes_into_what_it_is_given(x, out):
    torch.add(x, 1, out=out)  # -> A1 ! impure
    torch.mul(x, 2, out=total)  # -> A1 ! impure
    return out + total  # -> A1


@case(X)
def changes_a_global_tensor(x):
    total.add_(x)  # -> A1 ! impure
    return x + total  # -> A1


@case(X)
def changes_its_own_copy(x):
    y = x.clone()  # -> A1
    y.mul_(2)  # -> A1
    y += 1  # -> A1
    return y  # -> traced


@case(X)
def draws_from_torch(x):
    return x + torch.randn(4)  # -> A2


def test_a_tensor_is_changed_once_and_named() -> None:
    x = torch.arange(4.0)
    check_touched(explain(changes_a_tensor_in_place, x), "`x` is changed in place")
    assert torch.equal(x, 2 * torch.arange(4.0))


def test_a_module_that_changes_its_buffer() -> None:
    class Mean(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(4))

        def forward(self, x):
            self.total.add_(x)  # -> A1 ! impure
            return x * 2  # -> A1

    check_comments(explain(Mean(), torch.ones(4)))


def test_an_optimizer_is_part_of_the_program() -> None:
    def step(x):
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        return loss

    assert {finding.kind for finding in explain(step, torch.ones(4)).findings} == {"break"}


class _Trainer:
    def __init__(self):
        self.losses = []

    def step(self, x):
        loss = (x * 2).sum()  # -> A2
        print("step")  # -> python ! break
        self.losses.append(loss)  # -> traced ! impure
        return loss + 1  # -> B1


def test_an_object_that_is_changed_after_a_break() -> None:
    check_comments(explain(_Trainer().step, torch.ones(4)))


@pytest.mark.parametrize("backend", ["inductor", "eager"])
def test_a_random_number_that_inductor_misreads_is_reported(backend) -> None:
    """Up to PyTorch 2.14 the graph gets 64 bits and declares 32."""

    def scaled(x):
        a = random.uniform(0, 1)
        b = random.randint(0, 9)
        return x * a + b

    findings = explain(torch.compile(scaled, backend=backend), torch.zeros(2)).found("impure")
    is_wrong = backend == "inductor" and not has("torch", "2.15")
    assert ["comes out wrong" in finding.what for finding in findings] == [is_wrong, False]


def test_what_an_operation_returned_unchanged_is_changed_in_eager_mode_alone() -> None:
    def doubles(x):
        y = torch.nn.functional.dropout(x, 0.5, False)
        y += y
        return y

    (finding,) = explain(doubles, torch.ones(3)).findings
    assert finding.what.startswith("Eager mode changes `x` in place")
    for backend, changed in (("eager", 2.0), ("aot_eager", 1.0)):
        torch.compile(doubles, backend=backend)(x := torch.ones(3))
        assert x[0] == changed


def test_views_of_any_kind_are_views() -> None:
    def writes(x):
        x.float().mul_(2)  # -> A2 ! impure
        first, second = x.split(1)  # -> A3
        first.add_(second)  # -> A1 ! impure
        (x + 1).mul_(2)  # -> A2
        return x  # -> traced

    check_comments(explain(writes, torch.ones(2, 2)))


def test_an_object_of_a_library_that_grows() -> None:
    cache = transformers_cache()

    def keeps(x):
        keys, _ = cache.update(x, x, 0)
        return keys * 2

    (finding,) = explain(keeps, torch.ones(1, 2, 3, 4)).found("impure")
    assert finding.what.startswith("`cache.layers` is changed on each call")


def transformers_cache():
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    return transformers.DynamicCache()


def test_a_list_that_is_changed_in_place() -> None:
    def adds(x, y):
        torch._foreach_add_([x, y], 1.0)  # -> A1 ! impure, impure
        return x * y  # -> A1

    check_comments(explain(adds, torch.ones(3), torch.ones(3)))


def test_running_averages_change_in_training_alone() -> None:
    norm, x = torch.nn.BatchNorm1d(4), torch.ones(2, 4)
    averages = {"self.running_mean", "self.running_var"}
    in_training = {f.what.split("`")[1] for f in explain(norm, x).findings}
    assert in_training == {*averages, "self.num_batches_tracked"}
    assert explain(norm.eval(), x).findings == ()

    def by_name(x, mean, var):
        return torch.nn.functional.batch_norm(x, mean, running_var=var, training=True)

    found = explain(by_name, x, torch.zeros(4), torch.ones(4)).findings
    assert {f.what.split("`")[1] for f in found} == {"mean", "var"}


numbers = [0.5 * i for i in range(1500)]


def test_a_list_that_is_guarded_item_by_item_says_so() -> None:
    (finding,) = explain(lambda x: x + torch.tensor(numbers).sum(), torch.ones(3)).findings
    assert finding.what == (
        "`numbers` is read once and guarded: when it changes, the function is compiled again. "
        "Dynamo reads what it holds one by one, and makes 1,501 guards, which are checked on each "
        "call."
    )
    assert finding.cure.startswith("Make a tensor of it, outside the function")
    tensor = torch.tensor(numbers)
    assert explain(lambda x: x + tensor.sum(), torch.ones(3)).findings == ()
    (finding,) = explain(lambda x: x + numbers[3], torch.ones(3)).findings
    assert finding.what.endswith("the function is compiled again.")
