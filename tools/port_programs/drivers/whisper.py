"""Whisper's spectrogram and model: a second of noise to the logits of a few tokens."""

import sys
from types import SimpleNamespace

import numpy as np
import torch
from driving import finish

stub = SimpleNamespace(decode=None, detect_language=None, transcribe=None)
sys.modules["whisper.decoding"] = sys.modules["whisper.transcribe"] = stub
from whisper import audio, model  # noqa: E402

torch.manual_seed(0)
numbers = np.random.default_rng(0)
filters = torch.from_numpy(numbers.random((80, 201), dtype=np.float32))
audio.mel_filters = lambda device, n_mels: filters
sound = numbers.standard_normal(16_000, dtype=np.float32)
mel = audio.log_mel_spectrogram(sound, padding=160)[:, :100]
whisper = model.Whisper(model.ModelDimensions(80, 50, 16, 2, 2, 60, 12, 16, 2, 2))
torch.nn.init.normal_(whisper.decoder.positional_embedding)
tokens = torch.randint(60, (1, 8))
logits = whisper(mel[None], tokens)
loss = torch.nn.functional.cross_entropy(logits[0, :-1], tokens[0, 1:])
loss.backward()
print(loss.item())
finish()
