"""Images of noise."""

from typing import Any

import numpy as np

SIZE = 16


class _Images:
    def __init__(self, shape: tuple[int, ...], classes: int = 10) -> None:
        numbers = np.random.default_rng(0)
        self.images = numbers.random((SIZE, *shape), dtype=np.float32)
        self.classes = numbers.integers(classes, size=SIZE)

    def __len__(self) -> int:
        return SIZE

    def __getitem__(self, place: int) -> tuple[Any, int]:
        return self.images[place], int(self.classes[place])


def MNIST(*_: Any, **__: Any) -> _Images:  # noqa: N802  torchvision's name
    """Digits, in name."""
    return _Images((1, 28, 28))


def FakeData(image_size: tuple[int, ...], **_: Any) -> _Images:  # noqa: N802  torchvision's name
    """What torchvision has under this name too."""
    return _Images(image_size)
