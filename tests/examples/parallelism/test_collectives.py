"""The helpers that name collectives: from a program's text, and from a call."""

from collections.abc import Callable
from typing import Any

import eight_devices as on
import numpy as np
import pytest

from jaxvstorch.examples.parallelism import collectives


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%a = f32[8,16]{1,0} all-reduce(%b), channel_id=1", [("all-reduce", 512)]),
        ("ROOT %a = (f32[], bf16[3]{0}) all-reduce(%b, %c)", [("all-reduce", 10)]),
        ("%a = (s8[2]{0}, /*index=1*/pred[5]{0}) all-to-all(%b)", [("all-to-all", 7)]),
        ("%a = f8e4m3fn[4]{0} collective-permute(%b)", [("collective-permute", 4)]),
        ("%a = c64[2]{0} all-gather(%b)", [("all-gather", 16)]),
        # In two instructions, the result of the first holds the operand too.
        ("%a = (f32[1]{0}, f32[8]{0}) all-gather-start(%b)", []),
        ("%c = f32[8]{0} all-gather-done(%a)", [("all-gather", 32)]),
        ("%d = f32[8]{0} get-tuple-element(%all-reduce.3), index=1", []),
        ("%a = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} all-gather(%p)", [("all-gather", 2048)]),
        ("%a = (f32[0]{0}, f32[], token[]) all-reduce(%p, %q, %t)", [("all-reduce", 4)]),
        ("%a = s4[3]{0:E(4)} all-gather(%p)", [("all-gather", 2)]),
        ("%a = f32[2]{0} ragged-all-to-all(%p, %q)", [("ragged-all-to-all", 8)]),
        ("%a = f32[2]{0} collective-broadcast(%p)", [("collective-broadcast", 8)]),
        # A name that somebody chose is no instruction.
        ('%f = f32[8] fusion(%x), metadata={op_name="jit(f)/the all-reduce(1)"}', []),
        # The start calls the collective itself, which a TPU's text also has.
        (
            """%wrapped (p: f32[8]) -> f32[2] {
                 ROOT %inside = f32[2]{0} reduce-scatter(%p)
               }
               ENTRY %main (x: f32[8]) -> f32[2] {
                 %s = ((f32[8]{0}), f32[2]{0}) reduce-scatter-start(%x), calls=%wrapped
                 ROOT %d = f32[2]{0} reduce-scatter-done(%s)
               }""",
            [("reduce-scatter", 8)],
        ),
        (
            """%wrapped (p: f32[8]) -> f32[2] {
                 ROOT %inside = f32[2]{0} reduce-scatter(%p)
               }
               ENTRY %main (x: f32[8]) -> f32[2] {
                 %s = ((f32[8]{0}), f32[2]{0}) async-start(%x), calls=%wrapped
                 ROOT %d = f32[2]{0} async-done(%s)
               }""",
            [("reduce-scatter", 8)],
        ),
    ],
)
def test_a_collective_is_counted_once_with_the_bytes_of_its_result(line: str, expected) -> None:
    assert collectives.in_text(line) == expected


def nested():
    """A permutation, a loop with a sum, a branch with a sum or a maximum, and a gather."""
    import jax
    from jax import lax

    def function(x):
        x = lax.ppermute(x, "data", [(0, 1)])
        x = lax.fori_loop(0, 10, lambda _, c: lax.psum(c, "data"), x)
        x = lax.cond(
            x[0] > 0, lambda c: lax.psum(c[:2], "data"), lambda c: lax.pmax(c[:2], "data"), x
        )
        return lax.all_gather(x, "data", tiled=True)

    mapped = jax.shard_map(
        function,
        mesh=on.mesh(),
        in_specs=jax.P("data"),
        out_specs=jax.P("data"),
        check_vma=False,
    )
    return collectives.collectives_in_jax(mapped, np.arange(16, dtype=np.float32))


def test_what_is_in_loops_and_branches_comes_first_and_counts_once(eight) -> None:
    *inside, permuted, gathered = eight(nested)
    assert sorted(inside) == [("all-reduce", 8), ("all-reduce", 8), ("all-reduce", 16)]
    assert (permuted, gathered) == (("collective-permute", 16), ("all-gather", 32))


def numbers_of(dtype):
    """Eight numbers, two for each device, gathered."""
    import jax

    mapped = jax.shard_map(
        lambda x: jax.lax.all_gather(x, "data", tiled=True),
        mesh=on.mesh(),
        in_specs=jax.P("data"),
        out_specs=jax.P("data"),
    )
    return collectives.collectives_in_jax(mapped, np.ones(8, dtype))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "complex64"])
def test_the_bytes_are_those_of_the_dtype(eight, dtype: str) -> None:
    assert eight(numbers_of, dtype) == [("all-gather", 8 * np.dtype(dtype).itemsize)]


def _empty(torch: Any, *sizes: int) -> Any:
    return [torch.empty(size) for size in sizes] if len(sizes) > 1 else torch.empty(*sizes)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda t: t.distributed.all_reduce(_empty(t, 4)), ("all-reduce", 16)),
        (lambda t: t.distributed.all_reduce(t.tensor(1.0)), ("all-reduce", 4)),
        (lambda t: t.distributed.all_reduce(_empty(t, 0)), ("all-reduce", 0)),
        (lambda t: t.distributed.all_gather_single(_empty(t, 32), _empty(t, 4)),
         ("all-gather", 128)),
        (lambda t: t.distributed.all_gather(_empty(t, *[4] * 8), _empty(t, 4)),
         ("all-gather", 128)),
        (lambda t: t.distributed.reduce_scatter_single(_empty(t, 1), _empty(t, 8)),
         ("reduce-scatter", 4)),
        (lambda t: t.distributed.all_to_all_single(_empty(t, 8), _empty(t, 8)),
         ("all-to-all", 32)),
        (lambda t: t.distributed.broadcast(_empty(t, 4), 0), ("broadcast", 16)),
        (lambda t: t.gather(_empty(t, 3), 0, t.tensor([1])), None),
    ],
)  # fmt: skip
def test_calls_of_torch_distributed_are_named_too(
    ranks, call: Callable[[Any], Any], expected: tuple[str, int] | None
) -> None:
    found = collectives.collectives_in_torch(call, ranks)
    assert found == ([expected] if expected else [])
