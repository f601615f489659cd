"""A small Llama of transformers: three steps of training, and a few tokens."""

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
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(3, 64, (2, 12))
for _ in range(3):
    optimizer.zero_grad()
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
model.eval()
print(loss.item(), model.generate(tokens[:1, :6], max_new_tokens=4, do_sample=False))
finish()
