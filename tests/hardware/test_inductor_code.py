"""Counts in the code that Inductor writes, and the private names that writing it needs."""

import pytest

from jaxvstorch._hardware.inductor_code import Generated, generated

# Attention for an H100, shortened; torch 2.13.0.
CODE = '''
triton_red_fused__softmax_0 = async_compile.triton("triton_red_fused__softmax_0", """
def triton_red_fused__softmax_0(in_out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    extern_kernels.mentioned(only)
""", device_str='cuda')

class Runner:
    def call(self, args):
        arg0_1, arg1_1, arg2_1 = args
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((8, 2048, 2048), (4194304, 2048, 1), torch.float32)
            extern_kernels.bmm(arg1_1, arg0_1, out=buf0)
            buf5 = buf0; del buf0  # reuse
            # Topologically Sorted Source Nodes: [softmax], Original ATen: [aten.div, aten.eq]
            triton_red_fused__softmax_0.run(buf5, 16384, 2048, stream=raw_stream0)
            extern_kernels.bmm(buf5, arg2_1, out=buf6)
        return (buf6, )
'''


def test_kernels_and_library_calls_are_counted_where_they_are_called() -> None:
    assert generated(CODE, 64) == Generated(kernels=1, library_calls=2, bytes_accessed=64)


def test_loops_branches_and_pytorch_s_own_random_numbers_are_counted() -> None:
    body = """
def while_loop_body_graph_0(args):
        triton_poi_fused_add_1.run(buf2, buf1, 1, stream=raw_stream0)
        aten.randint.low_out(-9, 9, [1], out=buf3)
"""
    assert generated(body + CODE, 64) == Generated(kernels=2, library_calls=3, bytes_accessed=64)


def test_pytorch_has_all_the_names_that_writing_for_an_h100_needs() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from tools.compile_hardware import private

    assert private.gone() == {}


def test_pytorch_finds_an_h100_instead_of_its_own_gpu() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from tools.compile_hardware import h100, private

    interface = h100.interface(private.CudaInterface)
    assert interface.is_available()
    assert interface.get_compute_capability() == 90
    assert interface.get_device_properties() is interface.Worker.get_device_properties()
    assert (h100.PROPERTIES.major, h100.PROPERTIES.minor) == h100.CAPABILITY
