"""Functions of libraries for PyTorch, each with its arguments."""

from typing import Any

from torch_functions import Call, call, nn, of, torch, x


def einops(name: str) -> Any:
    """A function of einops, which has met a tensor before, so that it knows PyTorch."""
    of("einops", "rearrange")(x(2), "a -> a 1")
    return of("einops", name)


EINOPS = {
    "einsum": lambda: call(einops("einsum"), x(2, 3), x(3, 4), "i j, j k -> i k"),
    "pack": lambda: call(einops("pack"), [x(2, 3), x(2, 4)], "b *"),
    "Rearrange": lambda: call(
        of("einops.layers.torch", "Rearrange")("b (h w) -> b h w", h=2), x(2, 4)
    ),
}

SMALL = {"num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 32, "hidden_size": 8}
LLAMA = "transformers.models.llama.modeling_llama"
MIXTRAL = "transformers.models.mixtral.modeling_mixtral"
LOGITS = "transformers.generation.logits_process"


def config(name: str, **settings: Any) -> Any:
    return of("transformers", f"{name}Config")(**{**SMALL, **settings})


def gpt2_mlp() -> Call:
    settings = of("transformers", "GPT2Config")(n_embd=8, n_head=2, n_layer=1)
    return call(of("transformers.models.gpt2.modeling_gpt2", "GPT2MLP")(16, settings), x(1, 3, 8))


def mixture_of_experts() -> Call:
    settings = config("Mixtral", intermediate_size=16, num_key_value_heads=2, num_local_experts=2)
    settings._experts_implementation = "eager"
    block = of(MIXTRAL, "MixtralSparseMoeBlock")(settings)
    for parameter in block.parameters():  # as the library makes them, they are left uninitialised
        nn.init.constant_(parameter, 0.1)
    return call(block, x(1, 3, 8))


def attention() -> Call:
    module = nn.Module()
    module.num_key_value_groups = 2
    key = x(1, 2, 3, 4)
    return call(of(LLAMA, "eager_attention_forward"), module, x(1, 4, 3, 4), key, key, None, 0.5)


def logits(name: str, *settings: Any) -> Call:
    return call(of(LOGITS, name)(*settings), torch.tensor([[1, 2, 1]]), x(1, 5))


TRANSFORMERS = {
    "LlamaMLP": lambda: call(of(LLAMA, "LlamaMLP")(config("Llama", intermediate_size=16)), x(3, 8)),
    "LlamaRMSNorm": lambda: call(of(LLAMA, "LlamaRMSNorm")(8), x(1, 3, 8)),
    "apply_rotary_pos_emb": lambda: call(
        of(LLAMA, "apply_rotary_pos_emb"), *(x(1, 2, 3, 4),) * 2, *(x(1, 3, 4),) * 2
    ),
    "eager_attention_forward": attention,
    "GPT2MLP": gpt2_mlp,
    "BertSelfOutput": lambda: call(
        of("transformers.models.bert.modeling_bert", "BertSelfOutput")(config("Bert")),
        x(1, 3, 8),
        x(1, 3, 8),
    ),
    "NewGELUActivation": lambda: call(of("transformers.activations", "NewGELUActivation")(), x(4)),
    "MixtralSparseMoeBlock": mixture_of_experts,
    "TopKLogitsWarper": lambda: logits("TopKLogitsWarper", 2),
    "TopPLogitsWarper": lambda: logits("TopPLogitsWarper", 0.5),
    "TypicalLogitsWarper": lambda: logits("TypicalLogitsWarper", 0.5),
    "NoRepeatNGramLogitsProcessor": lambda: logits("NoRepeatNGramLogitsProcessor", 2),
}
