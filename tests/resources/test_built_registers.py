"""Of a shift register, what is built ends where something reads it last."""

import pytest

from burstline_model.devices.resource_use import Array, InBlocks
from burstline_server.words.verdict import headline
from tests.assessing import assess

KERNEL = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const int *restrict s, __global int *restrict d, int n)
{
    int line[LENGTH];
    #pragma unroll
    for (int i = 0; i < LENGTH; i++)
        line[i] = 0;
    for (int t = 0; t < n; t++) {
        BODY
    }
}
"""
UNROLL = "\n#pragma unroll\n"
UP = UNROLL + "for (int i = LENGTH - 1; i > 0; i--) line[i] = line[i - 1];\nline[0] = s[t];"
DOWN = UNROLL + "for (int i = 0; i < LENGTH - 1; i++) line[i] = (line[i + 1]);\nline[LENGTH - 1] = s[t];"
TAPS = UNROLL + "for (int k = 0; k < 3; k++) v += line[k * 320];\n"
WHOLE = 70_000


def words(body: str, length: int = WHOLE) -> int:
    """How many of its elements are built."""
    text = KERNEL.replace("BODY", body).replace("LENGTH", str(length))
    (kernel,) = assess(text, board="de1soc", arguments={"n": 1000}).kernels
    assert kernel.estimate.resources is not None
    (size,) = [p.of.size for p in kernel.estimate.resources.parts if isinstance(p.of, Array)]
    assert isinstance(size, InBlocks)
    return size.bits // 32


@pytest.mark.parametrize(
    ("body", "built"),
    [
        (UP + "d[t] = line[0] + line[640];", 641),
        ("d[t] = line[0] + line[640];" + UP, 641),
        (DOWN + "d[t] = line[LENGTH - 1] + line[LENGTH - 641];", 641),
        (UP + "int v = 0;" + TAPS + "d[t] = v;", 641),
        (UP + "line[900] += 1; d[t] = line[640];", 901),
        (UP + "int last = line[640]; d[t] = last;", 641),
        (UP + "d[t] = line[LENGTH - 1];", WHOLE),
        # Read wherever data say, or moved by a loop that stays: a memory, and built whole.
        (UP + "d[t] = line[s[t] & 63];", WHOLE),
        (UP + "d[t] = line[t & 63];", WHOLE),
        (UP.replace("unroll", "unroll 1") + "d[t] = line[640];", WHOLE),
        # Both ways, or round.
        (UP + DOWN + "d[t] = line[640];", WHOLE),
        # What goes to another place than the array is read.
        ("line[3] = s[t]; d[t] = line[900];", WHOLE),
        (UP + "int far = 0; far = line[2000]; d[t] = line[640] + far;", 2001),
    ],
)
def test_a_shift_register_ends_at_the_last_element_that_is_read(body: str, built: int) -> None:
    assert words(body) == built


def test_one_that_is_longer_than_the_device_fits_where_its_taps_are_near() -> None:
    text = KERNEL.replace("BODY", UP + "d[t] = line[640];").replace("LENGTH", "2000000")
    assessment = assess(text, board="de1soc", arguments={"n": 1000})
    assert "fit" not in headline(assessment, assessment.kernels[0])
