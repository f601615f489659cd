"""nanoGPT's model: three steps of its optimizer, and a few tokens."""

import torch
from driving import finish
from model import GPT, GPTConfig

torch.manual_seed(0)
config = GPTConfig(block_size=16, vocab_size=50, n_layer=2, n_head=2, n_embd=16, dropout=0.0)
model = GPT(config)
optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.95), "cpu")
tokens = torch.randint(50, (2, 16))
for _ in range(3):
    optimizer.zero_grad()
    logits, loss = model(tokens, tokens)
    loss.backward()
    optimizer.step()
model.eval()
print(model.generate(tokens[:, :8], 4, top_k=5))
finish()
