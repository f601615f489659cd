"""The helper that reads collectives from a program's text."""

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
    ],
)
def test_a_collective_is_counted_once_with_the_bytes_of_its_result(line: str, expected) -> None:
    assert collectives.in_text(line) == expected
