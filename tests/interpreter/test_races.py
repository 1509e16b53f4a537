"""Edits that add a race which results hide, as work-items run one after the other here."""

from __future__ import annotations

import pytest

from burstline_server.interpreter import equality
from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.verdicts import Different, Equal, Verdict
from burstline_server.source.read import read_source
from burstline_server.words.executions import different_text

HEAD = "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void k(__global const int *restrict x, "
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
LEFT = "y[g] = x[g] + (l > 0 ? x[g - 1] : 0);"
TILE = "__local int t[8]; t[l] = x[g]; {} y[g] = t[l] + (l > 0 ? t[l - 1] : 0);"
ROWS = "int s = 0; for (int j = 0; j < n; j++) s += x[g * n + j] + (l < 7 ? x[(g + 1) * n + j] : 0); y[g] = s;"
BLOCKS = """int s = 0; __local int t[8];
for (int j = 0; j < n; j++) { t[l] = x[g * n + j]; barrier(CLK_LOCAL_MEM_FENCE);
    s += t[l] + (l < 7 ? t[l + 1] : 0); %s }
y[g] = s;"""
SUMS = "atomic_add(&y[x[g] & 7], 1);"
COUNTED = """__local int t[8]; if (l == 0) for (int j = 0; j < 8; j++) t[j] = 0; {} atomic_add(&t[x[g] & 7], 1); {}
if (t[l] != 0) atomic_add(&y[l], t[l]);"""


def compared(before: str, after: str, host: HostSide | None = None, head: str = HEAD) -> Verdict:
    """What is found of an edited body."""
    frame = head + "__global int *restrict y, int n) {{ int g = get_global_id(0), l = get_local_id(0); {} }}"
    one, other = (read_source(frame.format(body), "k.cl") for body in (before, after))
    return equal(one, "k", Edited(other, ("k",), {}, host or HostSide()))


@pytest.mark.parametrize(
    ("before", "after", "buffer"),
    [
        (LEFT, TILE.format(""), ""),
        (ROWS, BLOCKS % "", ""),
        (SUMS, COUNTED.format("", BARRIER), ""),
        ("y[g] = x[g];", "y[g] = x[g]; if (g > 0 && y[g - 1] == 98765) y[g] = 3;", "y"),
        ("y[g] = x[g];", "if (g > 0) y[g - 1] = 5; y[g] = x[g]; if (g > 0) y[g - 1] = x[g - 1];", "y"),
        (
            "int s = 0; for (int j = 0; j < n; j++) s += x[j]; if (g == 0) y[0] = s;",
            "if (g == 0) y[0] = 0; for (int j = 0; j < n; j++) if (g == 0) y[0] += x[j]; "
            "else if (y[0] == 1234567) return; if (g == 0 && n == 0) y[0] = 0;",
            "y",
        ),
    ],
)
def test_an_edit_that_adds_a_race_is_refused(before: str, after: str, buffer: str) -> None:
    found = compared(before, after)
    assert isinstance(found, Different)
    assert (found.how, found.buffer) == ("race", buffer)
    place = f"{buffer}[{found.element}]" if buffer else f"byte {found.element} of local memory"
    assert different_text(found) == (
        "executed with whole-number arguments of 33, it lets two work-items reach "
        f"{place} with no barrier between, which the kernel does not"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LEFT, TILE.format(BARRIER)),
        (ROWS, BLOCKS % BARRIER),
        (SUMS, COUNTED.format(BARRIER, BARRIER)),
        # Two stores of one value.
        ("y[g] = x[g];", "if (g > 0) y[g - 1] = x[g - 1]; y[g] = x[g];"),
        # The kernel races by itself.
        (TILE.format(""), TILE.format("") + " n = 0;"),
        ("y[0] = g & ~1; y[g + 1] = y[0];", "y[0] = g & ~1; y[g + 1] = y[0]; if (y[0] == 12345) y[g + 1] = 2;"),
    ],
)
def test_what_is_ordered_or_raced_before_is_equal(before: str, after: str) -> None:
    assert isinstance(compared(before, after), Equal)


def test_bytes_race_where_accesses_are_less_than_a_word() -> None:
    head = HEAD.replace("const int", "const uchar")
    bytes_ = TILE.replace("int t", "uchar t")
    found = compared(LEFT, bytes_.format(""), head=head)
    assert isinstance(found, Different)
    assert found.how == "race"
    assert isinstance(compared(LEFT, bytes_.format(BARRIER), head=head), Equal)


def test_a_single_work_item_and_data_that_decide_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(compared(LEFT, TILE.format(""), HostSide(by_data=True)), Equal)

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(equality, "race_in", never)
    text = "__kernel void k(__global int *restrict x, int n) {{ for (int i = 0; i < n; i++) {} }}"
    one, other = (read_source(text.format(body), "k.cl") for body in ("x[i] += 2;", "x[i] = x[i] + 2;"))
    assert isinstance(equal(one, "k", Edited(other, ("k",), {})), Equal)


def test_races_that_cannot_be_looked_for_in_time_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equality, "RACES_S", -1.0)
    monkeypatch.setattr("burstline_server.interpreter.run.CHUNK", 1)
    assert isinstance(compared(LEFT, TILE.format("")), Equal)
