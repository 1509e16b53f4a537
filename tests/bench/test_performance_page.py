"""The performance page: goals are judged by what was measured, reasons are where one is missed, and nowhere else."""

from dataclasses import replace

import pytest
from bench.edits import Edited, edited
from bench.generated import file_of
from bench.performance.goals import GOALS
from bench.performance.page import markdown
from bench.performance.picture import drawn
from bench.performance.profile import PARSE, Profile, profile
from bench.performance.results import CHECK, HELD, PROTOCOL, SIZES, Point, Results, file_name
from bench.servers.compare import Measured
from bench.servers.known import CLANGD, OURS
from bench.times import Times

from bench import instructions

KINDS = ("open", "diagnostics", "hints", "both", "processor", "burst", "hover")


def measured(server: str, lines: int, seconds: float) -> Measured:
    times = {what: Times((seconds,) * 3) for what in KINDS}
    return Measured(server, file_name(lines), lines, "kernel", times, {"after open": 40, "end": 50, "peak": 60}, 3)


def results(ours_s: float, clangd_s: float) -> Results:
    own = Edited(1_000, 0.1, Times((0.01, 0.012)), Times((0.001, 0.002)), 0.1, 0.002, 0.0001)
    both = [(OURS.name, ours_s), (CLANGD, clangd_s)]
    point = Point(1, own, [measured(server, 1_000, seconds) for server, seconds in both])
    return Results(
        files=[measured(server, lines, seconds) for lines in SIZES for server, seconds in both],
        pushed=[measured(OURS.name, 1_000, ours_s)],
        held=[measured(OURS.name, lines, ours_s) for lines in HELD],
        starts={name: Times((0.1,)) for name in (OURS.name, CLANGD, PROTOCOL, CHECK)},
        own=dict.fromkeys(SIZES, own),
        kernels=[point],
        headers=[point],
        profiles={1_000: Profile({PARSE: 0.25, "burstline_server/source/": 0.75}, 0.1)},
    )


def test_all_goals_met_needs_no_reason() -> None:
    page = markdown(results(0.001, 0.0031))
    assert "| 3.1 × | met |" in page
    assert "missed" not in page
    assert not any(goal.reason in page for goal in GOALS)


def test_a_missed_goal_names_its_distance_and_its_reason() -> None:
    page = markdown(results(0.032, 0.048))
    assert page.count("| 1.5 × | missed by a factor of 2 |") == len(SIZES)
    assert "edit → both, p95, 1000 lines | ≤ 16 ms | 32 ms | missed by a factor of 2 |" in page
    missed = {goal.reason for goal in GOALS if goal.met(results(0.032, 0.048)) is False}
    assert missed
    assert all((goal.reason in page) == (goal.reason in missed) for goal in GOALS)


def test_without_a_peer_nothing_is_claimed() -> None:
    alone = results(0.001, 0.003)
    alone = replace(alone, files=[m for m in alone.files if m.server == OURS.name])
    assert markdown(alone).count("| not measured | – |") == len(SIZES)


def test_the_picture_has_a_line_for_each_server() -> None:
    picture = drawn(results(0.001, 0.003))
    assert picture.startswith("<?xml")
    for label in (f"{OURS.name}: diagnostics", f"{CLANGD}: diagnostics", "tree-sitter, whole file"):
        assert label in picture


def test_our_own_clock_and_profile_see_an_edit() -> None:
    one = edited(file_of(60), number=10)
    assert len(one.edits.all_s) == 10
    assert min(one.first_s, one.whole_s, one.parse_s, one.reparse_s, *one.edits.all_s) > 0
    found = profile(file_of(60))
    assert sum(found.by_room.values()) == pytest.approx(1)
    assert found.by_room[PARSE] > 0
    assert found.by_room["burstline_server/source/"] > 0


def test_a_tenth_more_work_than_recorded_fails(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = {"python": instructions.python(), "bytecodes": {"1000": 1_000}}
    assert not instructions.more_than(recorded, {"bytecodes": {"1000": 1_100}})
    assert instructions.more_than(recorded, {"bytecodes": {"1000": 1_101}})
    other = {"python": {"bytecodes": "2.7"}, "bytecodes": {"1000": 1}}
    assert not instructions.more_than(other, {"bytecodes": {"1000": 1_101}})
    assert "another Python" in capsys.readouterr().out


def test_bytecodes_are_counted_alike() -> None:
    instructions.bytecodes(60)  # what is worked out once for all files is known afterwards
    first, second = instructions.bytecodes(60), instructions.bytecodes(60)
    assert first == pytest.approx(second, rel=0.001)
    assert first > 10_000
