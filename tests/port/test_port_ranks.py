"""Programs of several processes: rank 0 is replayed, and the others run as they are."""

import os
import socket
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not torch.distributed.is_available(), reason="there are no collectives"),
]

WORKER = """\
import os
import torch
import torch.distributed as dist

def worker(rank):
    dist.init_process_group("gloo", rank=rank, world_size=2)
    x = torch.ones(2) * (rank + 1)
    dist.all_reduce(x)
    print("rank", rank, x.tolist(), flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
"""
STARTS = {
    "spawn": "    torch.multiprocessing.spawn(worker, nprocs=2)\n",
    "torchrun": '    worker(int(os.environ["RANK"]))\n',
}


@pytest.mark.parametrize("start", STARTS)
def test_rank_0_is_replayed(tmp_path, start) -> None:
    (tmp_path / "train.py").write_text(WORKER + STARTS[start])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "jaxvstorch", "port", "train.py"]
    if start == "torchrun":
        command[1:1] = ["-m", "torch.distributed.run", "--nproc-per-node", "2",
                        "--master-port", port]  # fmt: skip
    environment = os.environ | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    for rank in (0, 1):
        assert f"rank {rank} [3.0, 3.0]" in ran.stderr
    assert "= Tensor.mul → torch.ones(2) * (rank + 1)  equal" in ran.stdout
    assert "> torch.distributed.all_reduce  done another way: `lax.psum" in ran.stdout
    assert "Not seen to run" not in ran.stdout
    assert ran.stdout.count("train.py\n") == 1
    said = {"spawn": "torch.multiprocessing.spawn started, rank 0 was", "torchrun": "0 of 2 was"}
    assert said[start] in ran.stdout
