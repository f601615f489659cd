// PyTorch's CPU build refuses to change to a CUDA device, which it does even for tensors that hold
// nothing. With this guard it changes to none, and computes shapes as on a GPU.
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace c10::impl {
C10_REGISTER_GUARD_IMPL(CUDA, NoOpDeviceGuardImpl<DeviceType::CUDA>)
}
