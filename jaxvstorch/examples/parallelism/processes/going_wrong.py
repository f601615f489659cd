"""The ways in which a process goes wrong."""

import os
import signal
import time


def go_wrong(how: str, seconds: float) -> None:
    """End this process, or keep it busy for some seconds.

    Raises:
        RuntimeError: that is how, unless the process is "killed", "left" or "busy".
    """
    match how:
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "left":
            os._exit(1)
        case "busy":
            time.sleep(seconds)
        case _:
            raise RuntimeError("this process went wrong")
