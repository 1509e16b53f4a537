"""What a counter may be in its loop: bins that counters choose among are put on the chip where that bounds them."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, tried

HEAD = "for (int j = 0; j < 4; j++)"
COUNTS = f"""__kernel void digits(__global const uint *restrict x, __global uint *restrict h, int n, int m)
{{
    {HEAD} {{
        for (int i = 0; i < n; i++) {{
            uint key = x[i] >> (j * 8) & 0xFF;
            h[key + j * 256] += 1;
        }}
    }}
}}
"""
REPEATED = COUNTS.replace("    for (int j", "    for (int j = 0; j < m; j++)\n        h[j] = 0;\n    for (int j", 1)


def gathered(text: str) -> Offer | None:
    """The edit that counts on the chip."""
    assessment = Assessor().assess(text, "k.cl", [Layer("file", {"arguments": {"n": 4096, "m": 8}})])
    return next((one for one in offers_of(assessment) if one.title.kind == "private_histogram"), None)


@pytest.mark.parametrize(
    ("head", "bins"),
    [
        (HEAD, 1024),
        ("for (int j = 0; j <= 3; ++j)", 1024),
        ("for (uchar j = 1; j < 4; j += 2)", 1024),
        ("for (int j = 0; j < (m & 3); j++)", 768),
        ("for (int j = 2; j < min(m, 4); j++)", 1024),
        ("for (int j = m & 1; j < 4; j++)", 1024),
    ],
)
def test_a_counter_is_between_its_first_value_and_its_bound(head: str, bins: int) -> None:
    offer = gathered(COUNTS.replace(HEAD, head))
    assert offer is not None
    assert offer.kind == "proved"
    assert f"uint h_copy[{bins}];" in offer.applied(COUNTS.replace(HEAD, head).encode()).decode()


def test_the_nearest_counter_of_a_name_counts() -> None:
    offer = gathered(REPEATED)
    assert offer is not None
    assert "h_copy[1024]" in offer.applied(REPEATED.encode()).decode()
    outside = COUNTS.replace(HEAD, "int j;\n    for (j = 0; j < 4; j++)")
    assert gathered(outside) is not None


@pytest.mark.parametrize(
    "text",
    [
        COUNTS.replace("j < 4", "j < m"),
        COUNTS.replace("j < 4", "j != 4"),
        COUNTS.replace("j++", "j--"),
        COUNTS.replace("j++", "j *= 2"),
        COUNTS.replace("uint key", "if (x[i] == 7) j--; uint key"),
        COUNTS.replace("uint key", "int *q = &j; *q -= 1; uint key"),
        COUNTS.replace("j = 0", "j = -m"),
        COUNTS.replace("int j = 0", "int j = 0, l = 0"),
        COUNTS.replace("        for (int i", "        int j = m;\n        for (int i"),
        COUNTS.replace("int j = 0; j < 4", "uint j = 0; j < (m & 1) - 1"),
        COUNTS.replace("int j = 0; j < 4", "uchar j = 0; j < 256"),
        COUNTS.replace(HEAD, "int j = 0;\n    for (; j < 4; j++)"),
        COUNTS.replace(HEAD, "int j = -m;\n    for (j += 0; j < 4; j++)"),
        COUNTS.replace(HEAD, "int j, *q[1];\n    q[0] = &j;\n    for (j = 0; j < 4; j++)").replace(
            "uint key", "*q[0] -= 1; uint key"
        ),
        COUNTS.replace(HEAD, "int j, *q[1];\n    q[0] = &j;\n    for (j = 0; j < 4; j++)").replace(
            "uint key", "q[0][0] -= 1; uint key"
        ),
    ],
    ids=[
        "argument", "unequal", "down", "times", "in its body", "by its address", "below", "two", "hidden", "negative",
        "comes round", "no first value", "goes on", "by an address in an array", "by an element of an element",
    ],
)  # fmt: skip
def test_what_does_not_bound_a_counter(text: str) -> None:
    assert text != COUNTS
    assert gathered(text) is None
    assessment = Assessor().assess(text, "k.cl", [Layer("file", {"arguments": {"n": 4096, "m": 8}})])
    reasons = [obstacle_text(one.reason) for one in refusals_of(assessment) if one.title.kind == "histogram_on_chip"]
    assert reasons


def test_it_counts_the_same_on_a_real_runtime() -> None:
    np = pytest.importorskip("numpy")
    x = np.random.default_rng(2).integers(0, 2**32, 512, dtype=np.uint32)
    h = np.arange(1024, dtype=np.uint32)
    data = [Data({"x": x, "h": h}, {"n": np.int32(n), "m": np.int32(5)}, group=(1,)) for n in (0, 1, 300, 512)]
    for text in (COUNTS, REPEATED, COUNTS.replace(HEAD, "for (uchar j = 1; j < 4; j += 2)")):
        found = [one for one in tried(text, data, arguments={"n": 4096}) if one.offer.title.kind == "private_histogram"]
        assert found
        assert {(one.unequal, one.why) for one in found} == {(None, "")}
