"""Programs of several processes: the first of them is replayed, and the others run as they are."""

import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from jaxvstorch._port.isolation import remove_port_frames
from jaxvstorch._port.records import Record, Records


def is_later_rank() -> bool:
    """Whether torchrun started this process, and not as the first one."""
    return "TORCHELASTIC_RUN_ID" in os.environ and os.environ.get("RANK", "0") != "0"


def run_as_it_is(command: list[str]) -> None:
    """Go on as another program; its standard output goes to standard error, as under ``port``."""
    sys.stdout.flush()
    os.dup2(2, 1)
    os.execv(sys.executable, [sys.executable, *command])


@dataclass
class FirstRank:
    """What ``torch.multiprocessing.spawn`` runs in each process: a function, replayed in rank 0.

    Attributes:
        function: takes the rank first.
        records: the file that the replay writes to.
        limit: how many calls of one name on one line are done again.
    """

    function: Callable[..., Any]
    records: str
    limit: int

    def __call__(self, rank: int, *args: Any) -> Any:
        """Run the function in one process."""
        if rank != 0:
            return self.function(rank, *args)
        from jaxvstorch._port.replay import Replay  # it takes JAX, which other ranks do not need

        records = Records(self.records)

        def record(location: Any, call: Any) -> None:
            records.add(Record.CALL, location=asdict(location), call=asdict(call))

        try:
            with Replay(self.limit, record):
                return self.function(rank, *args)
        except BaseException as error:
            remove_port_frames(error)
            raise
