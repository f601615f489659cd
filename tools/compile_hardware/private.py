"""The private names of PyTorch that compiling for an H100 needs."""

from typing import Any

from jaxvstorch._frameworks import private
from jaxvstorch._frameworks.private import Name

_NOTHING = "Inductor compiles nothing for an H100"

NAMES = {
    "FakeTensorMode": Name("torch._subclasses.fake_tensor:FakeTensorMode", _NOTHING),
    "CudaInterface": Name("torch._dynamo.device_interface:CudaInterface", _NOTHING),
    "get_interface": Name("torch._dynamo.device_interface:get_interface_for_device", _NOTHING),
    "register_interface": Name(
        "torch._dynamo.device_interface:register_interface_for_device", _NOTHING
    ),
    "GraphLowering": Name("torch._inductor.graph:GraphLowering", _NOTHING),
    "virtualized": Name("torch._inductor.virtualized:V", _NOTHING),
}
# Attributes of the objects that these hand out. The hook is one of PyTorch's own tests.
SAVE_OUTPUT_CODE = "save_output_code"
ATTRIBUTES = (
    Name("torch._inductor.graph:GraphLowering.save_output_code", _NOTHING),
    Name("torch._inductor.graph:GraphLowering.count_bytes", _NOTHING),
    Name("torch._dynamo.device_interface:CudaInterface.Worker", _NOTHING),
    Name("torch._dynamo.device_interface:CudaInterface.get_device_properties", _NOTHING),
    Name("torch._dynamo.device_interface:CudaInterface.get_compute_capability", _NOTHING),
    Name("torch._dynamo.device_interface:CudaInterface.is_triton_capable", _NOTHING),
    Name("torch._dynamo.device_interface:CudaInterface.raise_if_triton_unavailable", _NOTHING),
)


def __getattr__(name: str) -> Any:
    return private.taken(NAMES, name)


def gone() -> dict[str, str]:
    """The names that this version of PyTorch lacks, each with what happens without it."""
    return private.gone({**NAMES, **{name.path: name for name in ATTRIBUTES}})
