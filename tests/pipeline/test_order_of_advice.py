"""What to do comes in the order of what it saves; what is not read again saves at most what it takes by itself."""

import re

import pytest

from burstline_model.estimate.changes import MoreLanes, OwnBanks
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.estimate.levers import by_what_remains
from burstline_server.assessment.assessor import Assessor
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

# One load a cycle sets the time: a tile would not change it.
ISSUE = """// burstline: global_size=(1048576) w=1032 r=4
__kernel void blur(__global const float *restrict in, __global float *restrict out, int w, int r)
{
    int x = get_global_id(0);
    float s = 0.0f;
    for (int i = -r; i <= r; i++) {
        s += in[x + r + i];
        barrier(CLK_LOCAL_MEM_FENCE); // keeps neighbours together
    }
    out[x] = s;
}
"""
# The window takes a sixteenth of what the other array takes.
OTHER = """// burstline: n=4194304
__kernel void other(__global const float *restrict in, __global float *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        #pragma unroll
        for (int j = 0; j < 8; j++)
            s += in[i + j];
        out[16 * i] = s;
    }
}
"""


@pytest.mark.parametrize("text", [ISSUE, OTHER])
def test_what_saves_more_comes_first(text: str) -> None:
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    lines = lever_lines(kernel, 9)
    assert lines
    assert not re.search("tile|window", lines[0]), lines
    after_s = [lever.after_s for lever in kernel.estimate.levers if lever.after_s is not None]
    assert after_s == sorted(after_s)


# Copies of the whole loop are known to save nearly all; of a tile nobody knows the time.
WINDOW = """// burstline: global_size=(1048576)
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void window(__global const float *restrict a, __global const float *restrict f, __global float *restrict c)
{
    int i = get_global_id(0);
    float s = 0.0f;
    for (int j = 0; j < 33; j++)
        s += a[i + j] * f[j];
    c[i] = s;
}
"""


def test_what_is_known_to_save_about_as_much_goes_before_a_tile() -> None:
    (kernel,) = Assessor().assess(WINDOW, "k.cl", []).kernels
    first, *rest = lever_lines(kernel, 9)
    assert first.startswith("unroll the loop by 33")
    assert any(line.startswith("keep a tile of a") for line in rest)


LESSER = """__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void sort(__global const uint2 *restrict in, __global uint4 *restrict bins, __global uint *restrict counts,
                   uint n) {
    uint g = get_global_id(0), at = g;
    uint c[128];
    for (int i = 0; i < 128; i++) c[i] = 0;
    while (at < n) {
        uint2 t = in[at];
        uint b = (t.x & 4095) >> 5;
        bins[g * 16384 + b * 128 + c[b]] = (uint4)(t.x, t.y, b, 0);
        c[b]++;
        at += get_global_size(0);
    }
    for (int i = 0; i < 128; i++) counts[g * 128 + i] = c[i];
}
"""


def test_a_tile_for_little_comes_behind_what_saves_more() -> None:
    (kernel,) = assess(LESSER, arguments={"n": 1 << 17}, global_size=128, board="p385a").kernels
    lines = lever_lines(kernel, 9)
    assert "scatter" in lines[0]
    assert "tile" in lines[-1]
    after_s = [lever.after_s for lever in kernel.estimate.levers if lever.after_s is not None]
    assert len(after_s) == len(lines)
    assert after_s == sorted(after_s)


def test_the_safer_of_two_changes_comes_first_where_they_leave_about_the_same() -> None:
    host, promise, text = (
        Lever(change=OwnBanks(units=2, channels=False)),
        Lever(change="restrict"),
        Lever(change=MoreLanes(vector=2, simd=2)),
    )
    times = {host: 1.00, promise: 1.02, text: 1.04}
    timed = [one.model_copy(update={"after_s": time}) for one, time in times.items()]
    assert by_what_remains(2.0, timed, {}) == timed[::-1]
    apart = [one.model_copy(update={"after_s": 1.1 * time**5}) for one, time in times.items()]
    assert by_what_remains(2.0, apart, {}) == apart
    assert by_what_remains(2.0, [host, *timed[1:]], {host: 1.5}) == [host, *timed[:0:-1]]


def test_copies_of_a_loop_that_ask_one_channel_are_no_advice() -> None:
    text = """channel float c0[2], c1[2];
__kernel void mid(int m)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < 519; i++) {
            write_channel_intel(c1[0], read_channel_intel(c0[0]));
            write_channel_intel(c1[1], read_channel_intel(c0[1]));
        }
}
"""
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    assert not [line for line in lever_lines(kernel, 9) if "unroll" in line]


ROUND = """channel {item} out, back;
__attribute__((max_global_work_dim(0)))
__kernel void twice(int n) {{
    for (int i = 0; i < n; i++) write_channel_intel(back, 2 * read_channel_intel(out));
}}
__attribute__((max_global_work_dim(0)))
__kernel void feed(__global const {item} *restrict a, __global {item} *restrict r, int n) {{
    {item} sum = 0;
    for (int i = 0; i < n; i++) {{
        write_channel_intel(out, a[i]);
        sum += read_channel_intel(back);
    }}
    r[0] = sum;
}}
"""


@pytest.mark.parametrize(
    ("item", "advised"), [("int", "send vectors through"), ("int4", "send more than 16 B in an item of"), ("int16", "")]
)
def test_a_loop_that_asks_channels_in_each_cycle_is_sent_wider_items(item: str, advised: str) -> None:
    text = ROUND.format(item=item)
    for kernel in assess(text, arguments={"n": 1 << 20}).kernels:
        lines = lever_lines(kernel, 9)
        assert not [line for line in lines if "unroll" in line or "partial" in line]
        found = [line for line in lines if line.endswith(" out and back, at both ends")]
        assert [advised in line for line in found] == ([True] if advised else [])


def test_copies_that_ask_a_channel_each_are_advised() -> None:
    text = """channel float c[16];
__attribute__((max_global_work_dim(0)))
__kernel void feed(__global const float *restrict a) {
    for (int j = 0; j < 65536; j++)
        for (int i = 0; i < 16; i++) write_channel_intel(c[i], a[16 * j + i]);
}
"""
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    assert "unroll" in lever_lines(kernel, 9)[0]


PAIR = """channel float c;
__kernel void rd(__global const float *restrict a)
{
    for (int i = 0; i < 1048576; i++)
        write_channel_intel(c, a[i * 16]);
}
__kernel void wr(__global float *restrict b)
{
    for (int i = 0; i < 1048576; i++)
        b[i * 16] = read_channel_intel(c);
}
"""


def test_no_more_is_promised_than_kernels_on_the_same_memory_allow() -> None:
    before = Assessor().assess(PAIR, "k.cl", []).kernels[0].estimate
    after_s = Assessor().assess(PAIR.replace("a[i * 16]", "a[i]"), "k.cl", []).kernels[0].estimate.time_s
    (lever,) = before.levers
    assert before.time_s is not None
    assert after_s is not None
    assert lever.after_s is not None
    assert after_s <= lever.after_s < before.time_s
    for unit in before.units:
        for one in unit.observations:
            assert one.after_s == lever.after_s
            assert one.gain == pytest.approx(1 - lever.after_s / before.time_s)


def test_stores_that_lie_apart_are_not_promised_to_lie_together_without_an_acknowledgement() -> None:
    text = """// burstline: global_size=(1024,1024) h=1024 n=1
__kernel void turned(__global const float *in, __global float *out, int h, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int d = 0; d < n; d++)
        out[x * h + y + d * h * h] = in[y * h + x + d * h * h];
}
"""
    promised, alone = (
        Assessor().assess(one, "k.cl", []).kernels[0] for one in (text, text.replace("float *", "float *restrict "))
    )
    assert "write-ack" in promised.estimate.units[1].lsu.style
    assert alone.estimate.time_s == pytest.approx(promised.estimate.time_s, rel=0.02)
    assert "tile" in lever_lines(promised, 1)[0]


COLUMNS = """// burstline: global_size=(1024,1024) m=1024
__kernel void copy(__global const float *restrict in, __global float *restrict out, int m)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * m + y] = in[x * m + y];
}
"""


def test_dimensions_are_exchanged_where_every_access_lies_along_the_second() -> None:
    (kernel,) = Assessor().assess(COLUMNS, "k.cl", []).kernels
    swapped = COLUMNS.replace("(0), y = get_global_id(1)", "(1), y = get_global_id(0)")
    (other,) = Assessor().assess(swapped, "k.cl", []).kernels
    first = kernel.estimate.levers[0]
    assert lever_lines(kernel, 1)[0].startswith("swap get_global_id(0) and get_global_id(1)")
    assert first.after_s == pytest.approx(other.estimate.time_s, rel=0.01)
    assert not [line for line in lever_lines(kernel, 9) if "tile" in line]
    assert not [line for line in lever_lines(other, 9) if "swap" in line]


def test_dimensions_are_exchanged_with_places_that_one_of_them_alone_decides() -> None:
    """A relaxation of shortest paths: rows and columns of one matrix, the row's element shared along the second id."""
    text = """// burstline: global_size=(1024,1024) dim=1024 k=5
__kernel void relax(__global int *restrict dist, int dim, int k)
{
    int i = get_global_id(0), j = get_global_id(1);
    int through = dist[i * dim + k] + dist[k * dim + j];
    if (through < dist[i * dim + j])
        dist[i * dim + j] = through;
}
"""
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    swapped = text.replace("(0), j = get_global_id(1)", "(1), j = get_global_id(0)")
    (other,) = Assessor().assess(swapped, "k.cl", []).kernels
    assert lever_lines(kernel, 9)[0].startswith("swap get_global_id(0) and get_global_id(1)")
    assert kernel.estimate.levers[0].after_s == pytest.approx(other.estimate.time_s, rel=0.01)
    assert not [line for line in lever_lines(kernel, 9) if "tile" in line]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in[x * m + y]", "in[y * m + x]"),
        ("in[x * m + y]", "in[x * m + y] + in[y * m]"),
        ("in[x * m + y]", "in[x * m + y] + get_global_linear_id()"),
        ("global_size=(1024,1024)", "global_size=(1048576,1)"),
        ("__kernel", "__attribute__((reqd_work_group_size(64, 1, 1)))\n__kernel"),
    ],
)
def test_dimensions_stay_where_an_access_or_a_group_would_lose(old: str, new: str) -> None:
    (kernel,) = Assessor().assess(COLUMNS.replace(old, new), "k.cl", []).kernels
    assert lever_lines(kernel, 9)
    assert not [line for line in lever_lines(kernel, 9) if "swap" in line]


OTHER_BANK = """__kernel void scatter(__global const int *restrict x, __global const int *restrict p,
                      __global int *restrict y, __global int *restrict z)
{
    int g = get_global_id(0);
    y[p[g]] = x[g];
    for (int i = 0; i < 2; i++)
        z[g * 128 + i] = g;
}
"""


def test_no_tile_is_advised_for_rows_that_overlap_what_sets_the_time() -> None:
    limits = {"banks": {"x": 0, "p": 0, "y": 0, "z": 1}, "interleaving": False}
    (kernel,) = assess(OTHER_BANK, board="p385a", global_size=[1 << 16], **limits).kernels
    aside = next(u for u in kernel.estimate.units if kernel.facts.accesses[u.lsu.members[0]].pointer == "z")
    assert kernel.estimate.limit == "memory"
    assert not aside.share
    assert "z" not in {getattr(one.change, "pointer", "") for one in kernel.estimate.levers}


THREE_LOOPS = """__attribute__((max_global_work_dim(0)))
__kernel void chain(__global const float *restrict x, __global float *restrict y, int n)
{
    float a = 1.0f, b = 1.0f, c = 1.0f, s = 1.0f;
    for (int i = 0; i < n; i++)
        a = a * 0.5f + x[i];
    #pragma ivdep
    for (int i = 0; i < 3 * n; i++)
        y[i] = 0.0f;
    #pragma ivdep
    for (int i = 0; i < 3 * n; i++)
        y[i] = 1.0f;
    y[0] = a;
}
"""


def test_the_longest_loop_says_why_loops_take_their_time() -> None:
    (kernel,) = assess(THREE_LOOPS, board="a10_ref", arguments={"n": 1 << 16}, f_max_mhz=200).kernels
    longest = max(kernel.estimate.terms, key=lambda term: term.time_s)
    assert (longest.limit, kernel.estimate.limit) == ("dependence", "dependence")


ITEMS_THROUGH = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel TYPE in __attribute__((depth(16)));
channel TYPE out __attribute__((depth(16)));
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void first(__global const TYPE *restrict x) { write_channel_intel(in, x[get_global_id(0)]); }
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void middle(float by) { int i = get_global_id(0); write_channel_intel(out, read_channel_intel(in) * by); }
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void last(__global TYPE *restrict y) { y[get_global_id(0)] = read_channel_intel(out); }
"""


@pytest.mark.parametrize(("type_", "advised"), [("float", True), ("float16", False)])
def test_work_items_that_meet_at_channels_are_advised_vectors_and_no_lanes(type_: str, advised: bool) -> None:
    done = assess(ITEMS_THROUGH.replace("TYPE", type_), global_size=[1 << 20], board="p385a")
    middle = next(k for k in done.kernels if k.facts.name == "middle")
    lines = lever_lines(middle, 9)
    assert not any("SIMD" in line for line in lines)
    assert any("send vectors through out and in" in line or "through in and out" in line for line in lines) == advised


@pytest.mark.parametrize(("bound", "asks"), [("m", True), ("64", False)])
def test_a_loop_that_a_pragma_cannot_unroll_whole_is_given_a_factor(bound: str, asks: bool) -> None:
    text = """__attribute__((max_global_work_dim(0)))
__kernel void k(__global const int *restrict s, __global int *restrict d, int n, int m)
{
    for (int t = 0; t < n; t++) {
        int v = 0;
        #pragma unroll
        for (int i = 0; i < BOUND; i++)
            v += s[i + t * BOUND];
        d[t] = v;
    }
}
"""
    done = assess(text.replace("BOUND", bound), arguments={"n": 1 << 14, "m": 64})
    said = "\n".join(lever_lines(done.kernels[0], 9))
    assert "unroll the loop by" not in said
    assert ("write #pragma unroll 16, or a constant bound" in said) == asks


ROWS = """__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict s, __global float *restrict y, int n)
{
    for (int r = n - 2; r >= 0; r--) {
        #pragma unroll
        for (int k = 0; k < 8; k++)
            y[r * 8 + k] = s[k] * y[(r + 1) * 8 + %s] + 1.0f;
    }
}
"""


def test_a_row_that_the_next_iteration_reads_is_kept_in_variables() -> None:
    (row,) = assess(ROWS % "k", arguments={"n": 1 << 20}).kernels
    one = ROWS.replace("#pragma unroll", "").replace("for (int k = 0; k < 8; k++)", "const int k = 0;")
    (element,) = assess(one % "k", arguments={"n": 1 << 20}).kernels
    first, *_ = row.estimate.levers
    assert lever_lines(row, 1)[0].startswith("keep the 8 elements y[r * 8 + k] in private variables")
    # Eight elements side by side wait no longer for their own than one does.
    assert first.after_s == pytest.approx(element.estimate.levers[0].after_s, rel=0.05)
    waits = [kernel.estimate.loops[0].ii or 0 for kernel in (row, element)]
    assert 1 < waits[0] <= waits[1]


def test_elements_that_others_of_the_row_come_from_are_no_row_of_their_own() -> None:
    (kernel,) = assess(ROWS % "7 - k", arguments={"n": 1 << 20}).kernels
    assert not [line for line in lever_lines(kernel, 9) if "elements" in line]


@pytest.mark.parametrize(
    ("asked", "body", "removed"),
    [
        (3, "d[i] = read_channel_intel(c);", True),
        (40, "v += s[i]; d[i] = v;", True),
        (1, "v += s[i]; d[i] = v;", False),
    ],
)
def test_a_pragma_that_asks_for_a_longer_interval_is_what_to_remove(asked: int, body: str, removed: bool) -> None:
    text = f"""channel float c;
__kernel void k(__global const float *restrict s, __global float *restrict d, int n)
{{
    float v = 1.0f;
    #pragma ii {asked}
    for (int i = 0; i < n; i++) {{
        {body}
    }}
}}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    (without,) = assess(text.replace(f"#pragma ii {asked}", ""), arguments={"n": 1 << 20}).kernels
    after_s = [lever.after_s for lever in kernel.estimate.levers if lever.change == "remove_pragma_ii"]
    assert after_s == ([pytest.approx(without.estimate.time_s, rel=0.01)] if removed else [])
    assert not [line for line in lever_lines(kernel, 9) if removed and "partial results" in line]


LANES = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float2 way[MANY];
__attribute__((max_global_work_dim(0)))
__kernel void give(int n)
{
    for (int i = 0; i < n; i++) { GIVEN }
}
__attribute__((max_global_work_dim(0)))
__kernel void take(__global float2 *restrict y, int n)
{
    for (int i = 0; i < n; i++) { TAKEN }
}
"""


@pytest.mark.parametrize(("many", "advised"), [(2, True), (8, False)])
def test_channels_that_carry_a_word_together_need_no_vectors(many: int, advised: bool) -> None:
    """Eight channels of float2 carry the 64 B that one port of the memory takes in a cycle."""
    text = LANES.replace("MANY", str(many))
    text = text.replace("GIVEN", " ".join(f"write_channel_intel(way[{k}], (float2)(i, {k}));" for k in range(many)))
    text = text.replace("TAKEN", " ".join(f"y[{many} * i + {k}] = read_channel_intel(way[{k}]);" for k in range(many)))
    done = assess(text, board="p520", arguments={"n": 1 << 20}, f_max_mhz=250)
    lines = [line for kernel in done.kernels for line in lever_lines(kernel, 9)]
    assert any("send vectors through way" in line for line in lines) == advised


STENCIL = """__kernel void blur(__global const float *restrict in, __global float *restrict out, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += in[(y + j) * w + x + i];
    out[y * w + x] = sum;
}
"""


@pytest.mark.parametrize(("board", "limit", "advised"), [("de1soc", "memory", True), ("p385a", "pipeline", False)])
def test_a_tile_is_advised_for_loads_that_take_time_of_their_own(board: str, limit: str, advised: bool) -> None:
    """Loads that a work-item a cycle hides are as fast from local memory."""
    (kernel,) = assess(STENCIL, board=board, global_size=[1024, 1024], arguments={"w": 1024}).kernels
    assert kernel.estimate.limit == limit
    assert any("keep a tile of in" in line for line in lever_lines(kernel, 9)) == advised


def test_a_window_is_advised_for_requests_of_several_words_whatever_hides_them() -> None:
    text = """__kernel void fir(__global const float *restrict x, __constant float *c, __global float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        #pragma unroll
        for (int t = 0; t < 64; t++)
            s += c[t] * x[i + t];
        y[i] = s;
    }
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 24}).kernels
    assert kernel.estimate.limit == "pipeline"
    assert any("shift register" in line for line in lever_lines(kernel, 9))


def test_no_window_is_advised_to_a_memory_that_it_spares_nothing() -> None:
    """A request for 19 floats fetches the four that the one before did not."""
    text = """__kernel void fir(__global const float *restrict x, __constant float *c,
                  __global float *restrict y, int n)
{
    #pragma unroll 4
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        #pragma unroll
        for (int t = 0; t < 16; t++)
            s += c[t] * x[i + t];
        y[i] = s;
    }
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 24}).kernels
    assert kernel.estimate.limit == "memory"
    lines = lever_lines(kernel, 9)
    assert lines
    assert not [line for line in lines if "shift register" in line]


APART = """// burstline: n=4096
__attribute__((max_global_work_dim(0)))
__kernel void smooth(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2.0f + x[i + 1];
}
"""


def test_restrict_promises_what_the_kernel_with_it_takes() -> None:
    (waiting,) = assess(APART.replace(" *restrict ", " *")).kernels
    (free,) = assess(APART).kernels
    first = waiting.estimate.levers[0]
    assert first.change == "restrict"
    assert free.estimate.time_s is not None
    assert first.after_s == pytest.approx(free.estimate.time_s, rel=0.1)


def test_loop_is_unrolled_before_the_kernel_is_copied() -> None:
    """16 compute units leave 1.6 ms, 8 copies of the loop's body 2.3 ms, for much less of the device."""
    text = """
__kernel void middle(__global const uchar *restrict x, __global uchar *restrict y, int w, int h)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1)
        return;
    uchar p[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            p[3 * r + c] = x[(j + r - 1) * w + i + c - 1];
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            uchar low = min(p[b], p[b + 1]);
            p[b + 1] = max(p[b], p[b + 1]);
            p[b] = low;
        }
    y[j * w + i] = p[4];
}
"""
    lines = lever_lines(assess(text).kernels[0], 5)
    kinds = [line.partition("(")[0].partition(" by ")[0] for line in lines]
    assert kinds.index("unroll the loop") < kinds.index("num_compute_units")
