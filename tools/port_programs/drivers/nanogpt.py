"""nanoGPT's model: its loss, the loss's gradient, and a few tokens."""

import torch
from driving import finish
from model import GPT, GPTConfig

torch.manual_seed(0)
config = GPTConfig(block_size=16, vocab_size=50, n_layer=2, n_head=2, n_embd=16, dropout=0.0)
model = GPT(config)
tokens = torch.randint(50, (2, 16))
logits, loss = model(tokens, tokens)
loss.backward()
model.eval()
print(model.generate(tokens[:, :8], 4, top_k=5))
finish()
