"""What Inductor's code launches, counted from its text."""

import re
from dataclasses import dataclass

_SOURCE = re.compile(r"('''|\"\"\").*?\1", re.S)  # of a kernel, in Triton
_LAUNCHED = re.compile(r"^ +\w+\.run\(", re.M)
_LIBRARY = re.compile(r"\b(?:extern_kernels|torch\.ops|aten)\.[\w.]+\(")


@dataclass(frozen=True)
class Generated:
    """What Inductor wrote for one program.

    Attributes:
        kernels: how many launches of Triton kernels it has; one inside ``torch.while_loop`` or a
            branch of ``torch.cond`` counts once.
        library_calls: how many calls it has of operations that Inductor did not write, such as a
            matrix product of cuBLAS. One may launch several kernels, or none.
        bytes_accessed: bytes that all of these read and write, as Inductor counts them.
    """

    kernels: int
    library_calls: int
    bytes_accessed: int


def generated(code: str, bytes_accessed: int) -> Generated:
    """Count what the code of one graph launches."""
    code = _SOURCE.sub("", code)
    return Generated(len(_LAUNCHED.findall(code)), len(_LIBRARY.findall(code)), bytes_accessed)
