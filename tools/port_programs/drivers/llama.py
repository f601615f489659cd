"""A small Llama of transformers: its loss, the loss's gradient, and a few tokens."""

import sys

import torch
from driving import finish

sys.modules["torchvision"] = None  # transformers would read more of it than the stub has
from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32,
    bos_token_id=1, eos_token_id=2, pad_token_id=0,
)  # fmt: skip
model = LlamaForCausalLM(config)
tokens = torch.randint(3, 64, (2, 12))
loss = model(input_ids=tokens, labels=tokens).loss
loss.backward()
model.eval()
print(loss.item(), model.generate(tokens[:1, :6], max_new_tokens=4, do_sample=False))
finish()
