"""Programs that run under a recording, for drafts of them."""

import runpy

import pytest


@pytest.fixture(scope="session")
def recorded():
    """Runs a program's file: what a draft is made of, and the program's own names."""

    def run(file):
        from jaxvstorch._port.draft.recording import Recording
        from jaxvstorch._port.replay import Replay

        recording = Recording(str(file))
        with Replay(record=recording.record) as replay, recording.watching():
            names = runpy.run_path(str(file), run_name="__main__")
        recording.argument_types = replay.argument_types
        return recording, names

    return run
