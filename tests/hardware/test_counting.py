"""Counts in XLA's optimised HLO, in pieces of what jax 0.10.2 compiled for each device."""

import pytest

from jaxvstorch._frameworks.hlo import size
from jaxvstorch._hardware.counting import Collective, collectives, kernels, loops

# A training step on eight H100s, its arrays cut along the batch.
H100 = """
%region_0.0.clone (x.9: f32[], y.9: f32[]) -> f32[] {
  %x.9 = f32[] parameter(0)
  %y.9 = f32[] parameter(1)
  ROOT %add.9 = f32[] add(%x.9, %y.9)
}

ENTRY %main.1_spmd (param.1: f32[128,4096]) -> f32[512,1024] {
  %param.1 = f32[128,4096]{1,0} parameter(0), metadata={op_name="w1"}
  %loss = f32[] fusion(%param.1), kind=kInput, calls=%fused_reduce
  %all-gather-start = (f32[128,4096]{1,0}, f32[1024,4096]{1,0}) all-gather-start(%param.1), \
channel_id=1, replica_groups=mesh['axis_0'=8,'axis_1'=1] {'axis_0'}, dimensions={0}
  %all-gather-done = f32[1024,4096]{1,0} all-gather-done(%all-gather-start)
  %gemm = f32[4096,1024]{1,0} fusion(%all-gather-done), kind=kCustom, calls=%gemm_computation
  %all-reduce-start = f32[] all-reduce-start(%loss), channel_id=3, to_apply=%region_0.0.clone
  %all-reduce-done = f32[] all-reduce-done(%all-reduce-start)
  %reduce-scatter-start = ((f32[4096,1024]{1,0}), f32[512,1024]{1,0}) \
reduce-scatter-start(%gemm), channel_id=10, dimensions={0}, to_apply=%region_0.0.clone
  ROOT %reduce-scatter-done = f32[512,1024]{1,0} reduce-scatter-done(%reduce-scatter-start)
}
"""
# The same on eight chips of a TPU v5e: one all-gather is in the fusions that it runs beside.
V5E = """
%fused_computation.16 (param_0.38: bf16[128,1024]) -> (bf16[128,1024], bf16[1024,1024], u32[]) {
  %param_0.38 = bf16[128,1024]{1,0:T(8,128)(2,1)S(1)} parameter(0)
  %all-gather.30 = bf16[1024,1024]{1,0:T(8,128)(2,1)} all-gather(%param_0.38), channel_id=7, \
frontend_attributes={chain_id="1"}
  ROOT %custom-call.5 = (bf16[128,1024]{1,0:T(8,128)(2,1)S(1)}, u32[]{:S(2)}, /*index=2*/u32[]) \
custom-call(%all-gather.30), custom_call_target="AsyncCollectiveStart"
}

%fused_computation.17 (param_0.42: bf16[128,1024]) -> bf16[1024,1024] {
  %param_0.42 = bf16[128,1024]{1,0:T(8,128)(2,1)S(1)} parameter(0)
  ROOT %all-gather.32 = bf16[1024,1024]{1,0:T(8,128)(2,1)S(1)} all-gather(%param_0.42), \
channel_id=7, frontend_attributes={chain_id="1"}
}

%all-reduce-scatter (input: f32[4096,1024]) -> f32[512,1024] {
  %input = f32[4096,1024]{1,0:T(8,128)S(1)} parameter(0)
  %all-reduce.3 = f32[4096,1024]{1,0:T(8,128)} all-reduce(%input), channel_id=13, to_apply=%add.1
  %constant.55 = u32[] constant(0)
  ROOT %dynamic-slice.9 = f32[512,1024]{1,0} dynamic-slice(%all-reduce.3, %constant.55)
}

ENTRY %main.2_spmd (x.1: f32[4096,1024]) -> f32[1024,4096] {
  %x.1 = f32[4096,1024]{1,0:T(8,128)} parameter(0)
  %first = (bf16[128,1024]{1,0}, u32[]{:S(2)}) fusion(%x.1), kind=kLoop, calls=%fused_computation.16
  %second = bf16[1024,1024]{1,0} fusion(%x.1), kind=kLoop, calls=%fused_computation.17
  %third = f32[512,1024]{1,0} fusion(%x.1), kind=kCustom, calls=%all-reduce-scatter
  %copy-start = (f32[4]{0:T(128)S(1)}, f32[4]{0:T(128)}, u32[]{:S(2)}) copy-start(%x.1)
  %copy-done = f32[4]{0:T(128)S(1)} copy-done(%copy-start)
  ROOT %both = (f32[]{:T(128)}, f32[1024,4096]{1,0:T(8,128)S(1)}) \
all-reduce(%third, %copy-done), channel_id=1, to_apply=%add.1
}
"""
# A loop on an H100: its condition gives one number, and runs no kernel of its own here.
LOOP = """
%body (p: (s32[], f32[8])) -> (s32[], f32[8]) {
  %p = (s32[], f32[8]{0}) parameter(0)
  %x = f32[8]{0} get-tuple-element(%p), index=1
  %next = f32[8]{0} fusion(%x), kind=kLoop, calls=%fused
  ROOT %t = (s32[], f32[8]{0}) tuple(%i, %next)
}

%condition (p: (s32[], f32[8])) -> pred[] {
  %p = (s32[], f32[8]{0}) parameter(0)
  ROOT %lt = pred[] compare(%p, %p), direction=LT
}

%fused (q: f32[8]) -> f32[8] {
  %q = f32[8]{0} parameter(0)
  ROOT %sin = f32[8]{0} sine(%q)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %copy = f32[8]{0} copy(%x)
  %while = (s32[], f32[8]{0}) while(%copy), condition=%condition, body=%body
  ROOT %result = f32[8]{0} get-tuple-element(%while), index=1
}
"""


def test_a_collective_in_the_background_counts_once_with_the_bytes_of_one_device() -> None:
    assert collectives(H100) == (
        Collective("all-gather", 1, 128 * 4096 * 4),
        Collective("all-reduce", 1, 4),
        Collective("reduce-scatter", 1, 4096 * 1024 * 4),
    )


def test_a_collective_in_several_fusions_counts_once() -> None:
    assert Collective("all-gather", 1, 128 * 1024 * 2) in collectives(V5E)


def test_collectives_of_shard_map_count_each_although_they_have_one_channel() -> None:
    text = """
ENTRY %main (x: f32[1,128]) -> f32[1,128] {
  %x = f32[1,128]{1,0} parameter(0)
  %half = f32[1,64]{1,0} slice(%x), slice={[0:1], [0:64]}
  %psum = f32[1,64]{1,0} all-reduce(%half), channel_id=1, to_apply=%region_1.0
  ROOT %pmax = f32[1,128]{1,0} all-reduce(%x), channel_id=1, to_apply=%region_3.0
}
"""
    assert collectives(text) == (Collective("all-reduce", 2, (64 + 128) * 4),)


def test_an_all_reduce_fused_with_its_slice_is_a_reduce_scatter() -> None:
    assert Collective("reduce-scatter", 1, 4096 * 1024 * 4) in collectives(V5E)


def test_a_collective_of_several_arrays_counts_once_with_all_their_bytes() -> None:
    assert Collective("all-reduce", 1, 512 * 1024 * 4 + 4 * 4) in collectives(V5E)


@pytest.mark.parametrize(("text", "count"), [(H100, 5), (V5E, 5), (LOOP, 2)])
def test_kernels_are_fusions_and_operations_on_arrays_outside_them(text, count) -> None:
    assert kernels(text) == count


def test_loops_are_counted() -> None:
    assert [loops(text) for text in (H100, V5E, LOOP)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("type", "bytes"),
    [
        ("f32[8,128]{1,0:T(8,128)}", 4096),
        ("bf16[]", 2),
        ("pred[3]{0}", 3),
        ("s4[3]{0}", 2),
        ("f8e4m3fn[16]{0}", 16),
        ("(f32[2]{0}, /*index=1*/c64[2]{0}, token[])", 24),
    ],
)
def test_a_type_has_a_number_of_bytes(type, bytes) -> None:
    assert size(type) == bytes


def test_what_jax_compiles_here_is_read_too() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    text = jax.jit(lambda x: jax.numpy.sin(x) * 2).lower(jax.numpy.ones(64)).compile().as_text()
    assert (kernels(text), loops(text), collectives(text)) == (1, 0, ())
