"""makemore's transformer: three steps of training on twenty made-up names."""

import sys
from pathlib import Path
from types import SimpleNamespace

from driving import run

writer = SimpleNamespace(add_scalar=print, flush=lambda: None)
sys.modules["torch.utils.tensorboard"] = SimpleNamespace(SummaryWriter=lambda log_dir: writer)
names = [first + last for first in ("an", "be", "cor", "mi", "lu") for last in "aeio"]
Path("names.txt").write_text("\n".join(names), encoding="utf-8")
sizes = ("--n-layer", "2", "--n-head", "2", "--n-embd", "16", "--batch-size", "8")
run("makemore.py", *sizes, "--max-steps", "3", "--num-workers", "0")
