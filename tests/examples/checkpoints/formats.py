"""The formats of this topic, one way to write and to read each; only where it is installed."""

import numpy as np
import pytest


def of_numpy():
    def read(path):
        # NumPy would leave a file open that it cannot read.
        with open(path, "rb") as file, np.load(file) as found:
            return dict(found)

    return (lambda file, x: np.savez(file, w=x)), read


def of_torch():
    torch = pytest.importorskip("torch")
    return (lambda file, x: torch.save({"w": torch.from_numpy(x)}, file)), torch.load


def of_safetensors():
    numpy = pytest.importorskip("safetensors.numpy")
    return (lambda file, x: file.write(numpy.save({"w": x}))), numpy.load_file


FORMATS = {"npz": of_numpy, "pt": of_torch, "safetensors": of_safetensors}
