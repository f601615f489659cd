"""The prediction of time sequences: one step of L-BFGS on five short sines."""

import os

import numpy as np
import torch
from driving import run

os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # it loads a NumPy array
starts = np.random.default_rng(2).integers(-80, 80, size=(5, 1))
torch.save(np.sin((np.arange(12) + starts) / 20), "traindata.pt")
run("time_sequence_prediction/train.py", "--steps", "1")
