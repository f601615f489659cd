"""What orbax writes, when it is there, and what it says of a folder that is not whole."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

ocp = pytest.importorskip("orbax.checkpoint")
pytest.importorskip("jax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

from jaxvstorch.examples.checkpoints.jax_orbax import load_tree, save_tree  # noqa: E402

TREE = {
    "layer": {"w": jnp.arange(3000.0), "b": jnp.ones(3, jnp.bfloat16)},
    "list": [jnp.zeros(2), (jnp.int32(3),)],
    "key": jax.random.key(0),
    "step": 3,
}


# Where one read has failed, orbax drops the others, and Python warns of their errors.
drops_reads = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    gc.collect()  # so that what was dropped is found in the test that dropped it
    left = [t for t in set(threading.enumerate()) - before if not t.daemon]
    for thread in left:
        thread.join()  # a dropped executor has told it to end


def data_file(folder):
    """The one with the numbers: the largest."""
    return max((f for f in folder.rglob("*") if f.is_file()), key=lambda f: f.stat().st_size)


def leaves(tree):
    plain = tree | {"key": jax.random.key_data(tree["key"])}
    return [np.asarray(x) for x in jax.tree.leaves(plain)]


def test_structure_dtypes_and_keys_come_back(tmp_path) -> None:
    save_tree(tmp_path / "1", TREE)
    found = load_tree(tmp_path / "1", TREE)
    assert jax.tree.structure(found) == jax.tree.structure(TREE)
    assert found["key"].dtype == TREE["key"].dtype
    for mine, theirs in zip(leaves(TREE), leaves(found), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


@drops_reads
def test_the_target_is_compared_but_for_its_dtypes(tmp_path) -> None:
    save_tree(tmp_path / "1", {"w": jnp.arange(4.0), "b": jnp.ones(1)})
    with pytest.raises(ValueError, match="tree structures do not match"):
        load_tree(tmp_path / "1", {"w": jnp.zeros(4)})
    with pytest.raises(ValueError, match="not compatible with the stored shape"):
        load_tree(tmp_path / "1", {"w": jnp.zeros(3), "b": jnp.ones(1)})
    found = load_tree(tmp_path / "1", {"w": jnp.zeros(4, jnp.bfloat16), "b": jnp.ones(1)})
    assert found["w"].dtype == jnp.bfloat16


def test_a_folder_is_not_written_over(tmp_path) -> None:
    save_tree(tmp_path / "1", TREE)
    with pytest.raises(ValueError, match="already exists"):
        save_tree(tmp_path / "1", TREE)


@drops_reads
@pytest.mark.parametrize("eighth", range(0, 8, 2))
def test_a_cut_data_file_is_an_error(tmp_path, eighth: int) -> None:
    tree = {"w": jnp.arange(3000.0)}
    save_tree(tmp_path / "1", tree)
    file = data_file(tmp_path / "1")
    words = file.read_bytes()
    file.write_bytes(words[: len(words) * eighth // 8])
    with pytest.raises(Exception, match="error while reading array index"):
        load_tree(tmp_path / "1", tree)


CHILD = """
import os, pathlib, sys
import jax.numpy as jnp
import orbax.checkpoint as ocp
checkpointer, path = ocp.StandardCheckpointer(), pathlib.Path(sys.argv[1])
checkpointer.save(path, {"w": jnp.arange(4_000_000.0)})
while not any(path.parent.iterdir()):  # the folder too is made in the background
    pass
os.kill(os.getpid(), 9)  # it has returned, and does not wait
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_killed_after_save_returned_leaves_no_half_folder(tmp_path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path / "1")]
    assert subprocess.run(command).returncode == -9
    left = {p.name for p in tmp_path.iterdir()}
    # Which of the two depends on how fast the disk is; both are right, half a folder is not.
    assert left in ({"1"}, {"1.orbax-checkpoint-tmp"})
    if left == {"1"}:
        found = load_tree(tmp_path / "1", {"w": jnp.zeros(4_000_000)})
        np.testing.assert_array_equal(found["w"], np.arange(4_000_000, dtype=np.float32))
