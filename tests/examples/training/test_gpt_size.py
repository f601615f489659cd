"""What a GPT's size says of it, and the text that it learns."""

import numpy as np
import pytest
from training_setup import numbers

from jaxvstorch.examples.training import text
from jaxvstorch.examples.training.config import Config
from jaxvstorch.examples.training.inputs import SMALL

ODD = Config(layers=3, heads=2, width=6, context=9, vocabulary=5)


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


def test_pytorch_leaves_out_its_own_kernel_for_attention_on_a_cpu(torch) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    q = torch.ones(1, 2, 7, 4)
    with FlopCounterMode(display=False) as counted:
        torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    assert counted.get_total_flops() == 0


def test_xla_counts_the_body_of_a_scan_once(jax, in_jax) -> None:
    params, tokens, _ = numbers()

    def counted(layers):
        few = {name: stacked[:layers] for name, stacked in params["blocks"].items()}
        lowered = jax.jit(in_jax.logits).lower({**params, "blocks": few}, tokens)
        return lowered.compile().cost_analysis()["flops"]

    if jax.__version_info__ >= (0, 11) or jax.default_backend() != "cpu":
        pytest.skip("seen with JAX 0.10 on a CPU")
    more = numbers()[0]
    assert len(more["blocks"]["qkv"]) == 2
    assert counted(2) < 1.5 * counted(1)


def test_text_goes_to_tokens_and_back() -> None:
    lines = text.sums(5, np.random.default_rng(0))
    assert [len(line) for line in lines.splitlines(keepends=True)] == [text.LINE] * 5
    assert text.to_text(text.to_tokens(lines)) == lines
    assert (
        text.right(np.stack([text.to_tokens(f"{a + b:02}") for a in range(10) for b in range(10)]))
        == 100
    )
    assert text.to_text(text.questions()[78]) == "7+8="


def test_a_target_is_the_next_character_and_a_batch_begins_with_lines() -> None:
    rng = np.random.default_rng(0)
    tokens = text.to_tokens(text.sums(20, rng))
    ((inputs, targets),) = text.batches(tokens, 1, rng, batch=4)
    assert inputs.shape == (4, text.CONFIG.context)
    np.testing.assert_array_equal(inputs[:, 1:], targets[:, :-1])
    assert (inputs[:, 1] == text.to_tokens("+")[0]).all()
