"""TD3: four updates from a buffer of noise."""

import numpy as np
import torch
from driving import finish
from TD3 import TD3
from utils import ReplayBuffer

torch.manual_seed(0)
np.random.seed(0)
policy = TD3(state_dim=3, action_dim=1, max_action=2.0)
buffer = ReplayBuffer(3, 1, max_size=64)
for _ in range(64):
    state = np.random.randn(3)
    action = policy.select_action(state)
    buffer.add(state, action, np.random.randn(3), np.random.randn(), np.random.rand() < 0.1)
for _ in range(4):
    policy.train(buffer, batch_size=8)
print(policy.select_action(state))
finish()
