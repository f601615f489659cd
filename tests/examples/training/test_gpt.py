"""What a GPT's size says of it, the names of its weights, and the text that it learns."""

import numpy as np
import pytest

from jaxvstorch.examples.training import text
from jaxvstorch.examples.training.config import Config
from jaxvstorch.examples.training.inputs import SMALL
from jaxvstorch.examples.training.weights import to_params, to_state

ODD = Config(layers=3, heads=2, width=6, context=9, vocabulary=5)


def test_weights_go_there_and_back() -> None:
    params = SMALL.init(np.random.default_rng(0), np.float32)
    again = to_params(to_state(params), SMALL.heads)
    assert {name: list(group) for name, group in again.items()} == {
        name: list(group) for name, group in params.items()
    }
    for name, group in params.items():
        for key, array in group.items():
            np.testing.assert_array_equal(again[name][key], array)
    assert sum(x.size for group in params.values() for x in group.values()) == SMALL.parameters


def test_the_module_s_names_are_those_of_its_state(torch) -> None:
    from jaxvstorch.examples.training.torch_module import GPT

    state = to_state(SMALL.init(np.random.default_rng(0), np.float32))
    names = {name: tuple(x.shape) for name, x in GPT(SMALL).state_dict().items()}
    assert names == {name: x.shape for name, x in state.items()}


@pytest.mark.parametrize("config", [SMALL, ODD], ids=str)
def test_pytorch_counts_the_operations_that_the_formula_counts(torch, config) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    from jaxvstorch.examples.training.torch_module import GPT, loss

    model, tokens = GPT(config), torch.zeros((4, 7), dtype=torch.int64)
    with sdpa_kernel(SDPBackend.MATH):
        with FlopCounterMode(display=False) as forward, torch.no_grad():
            model(tokens)
        with FlopCounterMode(display=False) as step:
            loss(model, tokens, tokens).backward()
    assert forward.get_total_flops() == config.forward_operations(4, 7)
    assert step.get_total_flops() == config.step_operations(4, 7)


def test_text_goes_to_tokens_and_back() -> None:
    lines = text.sums(5, np.random.default_rng(0))
    assert [len(line) for line in lines.splitlines(keepends=True)] == [text.LINE] * 5
    assert text.to_text(text.to_tokens(lines)) == lines
    answers = [text.to_tokens(f"{a + b:02}") for a in range(10) for b in range(10)]
    assert text.right(np.stack(answers)) == 100
    assert text.to_text(text.questions()[78]) == "7+8="


def test_a_target_is_the_next_character_and_a_batch_begins_with_lines() -> None:
    rng = np.random.default_rng(0)
    tokens = text.to_tokens(text.sums(20, rng))
    ((inputs, targets),) = text.batches(tokens, 1, rng, batch=4)
    assert inputs.shape == (4, text.CONFIG.context)
    np.testing.assert_array_equal(inputs[:, 1:], targets[:, :-1])
    assert (inputs[:, 1] == text.to_tokens("+")[0]).all()
