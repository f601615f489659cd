"""torchdiffeq's demo: three steps of learning an equation, solved by Dormand and Prince."""

import numpy as np
import torch
from driving import run

np.random.seed(0)
torch.manual_seed(0)
sizes = ("--data_size", "12", "--batch_time", "4", "--batch_size", "3")
run("examples/ode_demo.py", *sizes, "--niters", "3", "--test_freq", "3")
