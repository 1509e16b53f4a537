"""Edits of text whose words a backslash at a line's end splits: no blank comes between the halves."""

import pytest

from tests.rewrites.equality import assessed, offered

HISTOGRAM = """\
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const int *restrict b, __global int *restrict c, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    atomic_inc(&c[b[i] & 3\\
1]);
}
"""
KEPT = """\
__kernel void k(__global int *restrict c, int n, uint first)
{
    for (in\\
t j = first; j < n; j++)
        c[3] = j;
}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "title", "says"),
    [
        (HISTOGRAM, "local_histogram", "3\\\n1]"),
        (KEPT, "keep_in_variable", "if ((int)first < n)"),
    ],
)
def test_no_word_is_parted(text: str, title: str, says: str, end: str) -> None:
    text = text.replace("\n", end)
    found = [one for one in offered(text) if one.title.kind.startswith(title)]
    assert found
    for offer in found:
        after = offer.applied(text.encode()).decode()
        assert says.replace("\n", end) in after
        assert not assessed(after).faults
        assert "\\" + end + " " not in after
