"""Elements of private arrays that only numbers and unrolled counters name are variables, and count as those do."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess

HEAD = (
    "__attribute__((max_global_work_dim(0))) kernel void k(global const float* restrict x, global float* restrict y,\n"
)
COPIES = "\n#pragma unroll\nfor (int c = 0; c < 4; c++)"
LENGTH = 1 << 20


def _kernel(body: str, arguments: str = "int n") -> KernelAssessment:
    (kernel,) = assess(f"{HEAD} {arguments}) {{\n{body}\n}}", arguments={"n": LENGTH}).kernels
    return kernel


def fetched(kernel: KernelAssessment) -> float:
    """The bytes that the memory moves for x."""
    walks = [u.walk for u in kernel.estimate.units if kernel.facts.accesses[u.lsu.members[0]].pointer == "x"]
    return sum(walk.fetched_bytes or 0 for walk in walks if walk is not None)


def _loop(body: str) -> str:
    return f"for (int i = 0; i < n; i++) {{ float s = 0; {body} y[i] = s; }}"


SCALARS = "int a = 0, b = n;" + _loop("s = x[a] + x[b]; a++; b += 2;")


@pytest.mark.parametrize(
    ("elements", "scalars"),
    [
        ("int p[2] = {0, n};" + _loop("s = x[p[0]] + x[p[1]]; p[0]++; p[1] += 2;"), SCALARS),
        ("int p[2]; p[0] = 0; p[1] = n;" + _loop("s = x[p[0]] + x[p[1]]; p[0] = p[0] + 1; p[1] = 2 + p[1];"), SCALARS),
        ("int p[9] = {0, n};" + _loop("s = x[p[0]] + x[p[1]]; ++p[0]; p[1] -= -2;"), SCALARS),
        ("global const float* p[2] = {x, x + n};" + _loop("s = *p[0]++ + p[1][0]; p[1] += 2;"), SCALARS),
        (
            f"int p[4]; {COPIES} p[c] = c * n;" + _loop(f"{COPIES} {{ s += x[p[c]]; p[c]++; }}"),
            _loop(f"{COPIES} s += x[c * n + i];"),
        ),
        (
            "int p[4] = {0, 100, 200, 300};" + _loop(f"{COPIES} s += x[p[c]];{COPIES} p[c] += 400;"),
            _loop(f"{COPIES} s += x[c * 100 + 400 * i];"),
        ),
        (
            "int p[4] = {0};" + _loop(f"{COPIES} {{ s += x[p[c]]; p[c] += c + 1; }}"),
            _loop(f"{COPIES} s += x[(c + 1) * i];"),
        ),
        (
            f"global const float* p[4]; {COPIES} p[c] = x + c * n;" + _loop(f"{COPIES} s += *p[c]++;"),
            _loop(f"{COPIES} s += x[c * n + i];"),
        ),
        # Each row goes on where the one before ended.
        (
            "int p[4] = {0, 16, 32, 48};"
            f"for (int j = 0; j < n; j++) {{ for (int i = 0; i < 16; i++) {{ float s = 0;{COPIES} s += x[p[c]++];"
            f"y[16 * j + i] = s; }}{COPIES} p[c] += 48; }}",
            "for (int j = 0; j < n; j++) { for (int i = 0; i < 16; i++) { float s = 0;\n"
            f"{COPIES} s += x[64 * j + 16 * c + i]; y[16 * j + i] = s; }} }}",
        ),
        # A stream is taken from at times: what comes of it waits for what was loaded.
        (
            "int p[2] = {0, n};" + _loop("if (x[p[0]] < x[p[1]]) { s = 1; p[0]++; } else p[1]++;"),
            "int a = 0, b = n;" + _loop("if (x[a] < x[b]) { s = 1; a++; } else b++;"),
        ),
    ],
)
def test_elements_count_as_variables_do(elements: str, scalars: str) -> None:
    own, other = _kernel(elements), _kernel(scalars)
    assert [(u.style, u.width_bits, u.count) for u in own.lsus] == [
        (u.style, u.width_bits, u.count) for u in other.lsus
    ]
    assert own.estimate.time_s is not None
    assert other.estimate.time_s is not None
    assert own.estimate.time_s == pytest.approx(other.estimate.time_s, rel=0.01)


def test_streams_that_start_where_data_say_are_sequential() -> None:
    starts = f"int p[4]; {COPIES} p[c] = starts[c];" + _loop(f"{COPIES} {{ s += x[p[c]]; p[c]++; }}")
    (kernel,) = assess(
        f"{HEAD} global const int* restrict starts, int n) {{\n{starts}\n}}", arguments={"n": LENGTH}
    ).kernels
    assert fetched(kernel) == pytest.approx(4 * 4 * LENGTH, rel=0.01)


def test_each_copy_follows_its_own_links() -> None:
    """Four chains of links side by side take as long as one."""
    body = "for (int i = 0; i < n; i++) {{ {copies} p[c] = next[p[c]]; }}\n{copies} y[c] = p[c];"
    bodies = (f"int p[{n}] = {{0}};" + body.format(copies=COPIES.replace("4", n)) for n in ("4", "1"))
    four, one = (_kernel(one, "global const int* restrict next, int n") for one in bodies)
    assert four.estimate.time_s == pytest.approx(one.estimate.time_s, rel=0.05)


@pytest.mark.parametrize(
    "body",
    [
        "int p[4] = {0}; int k = n & 3;" + _loop("s = x[p[k]]; p[k]++;"),
        "int p[4] = {0};" + _loop("for (int c = 0; c < 4; c++) { s += x[p[c]]; p[c]++; }"),
        "int p[4] = {0}; int* q = p;" + _loop("s = x[p[0]]; p[0]++; q[0] += 7;"),
        "int p[4] = {0};" + _loop(f"{COPIES} {{ s += x[p[c]]; p[c]++; }} p[3 - (i & 3)] = i;"),
        "int p[5] = {0};" + _loop(f"{COPIES} {{ s += x[p[c]]; p[c + 1] = i; }}"),
    ],
)
def test_an_array_that_anything_else_names_stays_whole(body: str) -> None:
    assert fetched(_kernel(body)) >= 64 * LENGTH


BLOCKS = "int p[4], left[4];" + COPIES + "{ p[c] = c * 2048; left[c] = 0; }"


def _in_blocks(jump: str, width: int = 8) -> str:
    """Four readers that each walk over blocks of the array, and jump over those of the others."""
    read = f'_Pragma("unroll") for (int j = 0; j < {width}; j++) s += x[p[c] + j];'
    return BLOCKS + _loop(f"{COPIES} {{ {read} p[c] += {width}; left[c] += {width}; {jump} }}")


SELDOM = "if (left[c] == 2048) { left[c] = 0; p[c] += 6144; }"


def test_an_element_that_jumps_seldom_walks_as_its_steps_do() -> None:
    kernel = _kernel(_in_blocks(SELDOM))
    assert fetched(kernel) == pytest.approx(4 * 8 * 4 * LENGTH, rel=0.01)
    (unit,) = [u.lsu for u in kernel.estimate.units if u.lsu.op == "load"]
    assert (unit.width_bits, unit.count) == (256, 4)


@pytest.mark.parametrize(
    "jump",
    [
        "if (y[i] > 0) p[c] += 6144;",
        "if (table[c] == 2048) p[c] += 6144;",
    ],
)
def test_an_element_that_data_or_other_arrays_set_on_may_be_anywhere(jump: str) -> None:
    table = "int table[4];" + COPIES + "table[c] = n * c;"
    assert fetched(_kernel(table + _in_blocks(jump, width=1))) > 8 * 4 * LENGTH


@pytest.mark.parametrize(("width", "bits"), [(1, 32), (2, 64), (16, 512)])
def test_copies_lie_side_by_side_from_where_each_element_is(width: int, bits: int) -> None:
    (unit,) = [u.lsu for u in _kernel(_in_blocks(SELDOM, width)).estimate.units if u.lsu.op == "load"]
    assert (unit.width_bits, unit.count) == (bits, 4)


@pytest.mark.parametrize(
    "begins",
    [
        "int p[4]; p[0] = 64 * i; p[1] = 64 * i + 16; p[2] = 64 * i + 32; p[3] = 64 * i + 48;",
        "int p[4]; p[0] = 64 * i; p[1] = p[0] + 16; p[2] = p[1] + 16; p[3] = 64 * i + 3 * 16;",
    ],
)
def test_elements_set_by_number_are_read_in_turn_where_they_lie_evenly(begins: str) -> None:
    rows = "\n#pragma unroll\nfor (int k = 0; k < 16; k++)"
    text = f"for (int i = 0; i < n; i++) {{ {begins} float s = 0;{COPIES} {{ {rows} s += x[p[c] + k]; }} y[i] = s; }}"
    (unit,) = (u.lsu for u in _kernel(text).estimate.units if u.lsu.op == "load")
    assert (unit.count, unit.width_bits) == (1, 64 * 32)


def test_elements_set_by_number_unevenly_are_not_taken_to_lie_in_order() -> None:
    text = _loop(f"int p[4]; p[0] = 4 * i; p[1] = 4 * i + 1; p[2] = 4 * i + 7; p[3] = i;{COPIES} s += x[p[c]];")
    (unit,) = (u.lsu for u in _kernel(text).estimate.units if u.lsu.op == "load")
    assert (unit.count, unit.width_bits) == (4, 32)


def test_a_sum_through_elements_set_by_number_is_carried() -> None:
    # What a loop reads by a counter and hands on by number comes round.
    text = (
        "int p[2] = {0, 0}; for (int i = 0; i < n; i++) { int s = 0;"
        "\n#pragma unroll\nfor (int c = 0; c < 2; c++) s += p[c]; p[0] = (int) (s * x[i]); p[1] = s; } y[0] = p[1];"
    )
    (loop,) = (one for one in _kernel(text).facts.loops if one.variable == "i")
    assert loop.recurrences
