"""What Inductor's code says of a program, counted from its text."""

import re
from dataclasses import dataclass

_LAUNCHED = re.compile(r"^ +(triton_\w+|\w+_kernel\w*)\.run\(", re.M)
_LIBRARY = re.compile(r"\b(?:extern_kernels\.|torch\.ops\.)[\w.]+\(")


@dataclass(frozen=True)
class Generated:
    """What Inductor wrote for one program.

    Attributes:
        kernels: how often a call launches a Triton kernel that Inductor wrote.
        library_calls: how often it calls a kernel that Inductor did not write, such as a matrix
            product of cuBLAS.
        bytes_accessed: bytes that all of these read and write, as Inductor counts them.
    """

    kernels: int
    library_calls: int
    bytes_accessed: int


def generated(code: str, bytes_accessed: int) -> Generated:
    """Count what the code of one graph launches."""
    _, _, call = code.partition("def call(self, args):")
    return Generated(len(_LAUNCHED.findall(call)), len(_LIBRARY.findall(call)), bytes_accessed)
