"""The transformer of translation: an epoch of three batches, and a look."""

import sys
from types import SimpleNamespace

import torch
from driving import finish

for name in ("dill", "torchtext", "torchtext.data", "torchtext.datasets"):
    sys.modules[name] = SimpleNamespace(
        Field=None, Dataset=None, BucketIterator=None, TranslationDataset=None
    )
import train  # noqa: E402
from transformer.Optim import ScheduledOptim  # noqa: E402

torch.manual_seed(0)
sizes = {"d_model": 16, "d_word_vec": 16, "d_inner": 32, "n_layers": 2, "n_head": 2}
model = train.Transformer(30, 30, 1, 1, **sizes, d_k=8, d_v=8)
adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-09)
optimizer = ScheduledOptim(adam, 2.0, 16, 4000)
batches = [SimpleNamespace(src=s, trg=s + 1) for s in torch.randint(1, 29, (3, 7, 4))]
options = SimpleNamespace(src_pad_idx=1, trg_pad_idx=1)
print(train.train_epoch(model, batches, optimizer, options, "cpu", smoothing=True))
print(train.eval_epoch(model, batches[:1], "cpu", options))
finish()
