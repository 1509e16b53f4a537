"""Units and loops held against a report: from a repository's git objects to the figures."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from bench.scoreboard import loops, units
from bench.scoreboard.figure import Area, Sources
from bench.scoreboard.thresholds import THRESHOLDS, Fit

from burstline_model.pipeline.latencies import operation_table
from tests.bench.repository import committed, git

KERNEL = """#include "size.h"
__kernel void add(__global int *restrict o, __global const int *restrict a) {
    int sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += a[i];
    o[0] = sum;
}
"""


def archive(report: str) -> bytes:
    """A build's folder of reports, packed."""
    packed, content = io.BytesIO(), report.encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as folder:
        member = tarfile.TarInfo("reports/lib/report_data.js")
        member.size = len(content)
        folder.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.fixture(params=[str.encode, archive], ids=["plain", "packed"])
def sources(tmp_path: Path, request: pytest.FixtureRequest) -> Sources:
    """One repository with a header and a report that embeds a kernel; the report is replaced in a later commit."""
    repository = tmp_path / "mirror" / "someone+kernels" / "repo"
    repository.mkdir(parents=True)
    report = repository / "report_data.js"
    embedded = [{"path": "/home/someone/add.cl", "name": "add.cl", "content": KERNEL}]
    report.write_bytes(request.param(f"var fileJSON={json.dumps(embedded)};"))
    (repository / "size.h").write_text("#define SIZE 1000\n")
    row = {
        "repo": "someone/kernels", "commit": committed(repository), "report": "report_data.js",
        "report_blob": git(repository, "rev-parse", "HEAD:report_data.js"), "family": "Arria 10", "aoc": "18.1.0",
        "file": "add.cl", "kernels": ["add"],
    }  # fmt: skip
    report.write_text("var fileJSON=[];")
    git(repository, "commit", "-qam", "second")

    def place(line: int, op: str, style: str) -> dict[str, Any]:
        return {"kernel": "add", "line": line, "op": op, "style": style, "width_bits": 32, "count": 1}

    places = [place(5, "load", "Prefetching"), place(6, "store", "Burst-coalesced write-ack")]
    loop = {"kernel": "add", "loop": "add.B1", "line": 4, "depth": 1, "pipelined": "Yes", "ii": "~1", "text": []}
    truth = tmp_path / "truth"
    truth.mkdir()
    (truth / units.TRUTH).write_text(json.dumps({**row, "places": places}) + "\n")
    (truth / loops.TRUTH).write_text("".join(json.dumps({**row, **loop, "ii": ii}) + "\n" for ii in ("~1", 1, "~1")))
    return Sources(truth, tmp_path / "mirror")


def figure(area: Area, key: str) -> float | None:
    return next(f.ours for f in area.figures if f.key == key)


def test_units_are_those_of_the_report_that_the_row_names(sources: Sources) -> None:
    area = units.measure(sources)

    assert figure(area, "units.style") == 50
    worst = area.figures[0].worst
    assert [(m.truth, m.ours) for m in worst] == [("1 × Burst-coalesced write-ack 32", "1 × Burst-coalesced 32")]
    assert area.figures[0].baseline == 0


def test_loops_that_are_compiled_alike_count_once(sources: Sources) -> None:
    area = loops.measure(sources)

    assert figure(area, "loops.ii") == 100
    assert area.figures[0].rows == 2


@pytest.mark.parametrize("area", [units, loops])
def test_without_sources_nothing_is_measured(area: Any, tmp_path: Path) -> None:
    assert "needs" in area.measure(Sources()).skipped
    assert "needs" in area.measure(Sources(truth=tmp_path)).skipped


@pytest.mark.parametrize("area", [units, loops])
def test_repositories_that_are_not_there_are_said(area: Any, sources: Sources, tmp_path: Path) -> None:
    assert "at hand" in area.measure(Sources(sources.truth, tmp_path)).skipped


def test_thresholds_are_chosen_without_the_repository() -> None:
    gap = THRESHOLDS[0]
    low, high = gap.unknown, gap.value
    fit = Fit(gap, ((low, {"a/x": 0.5, "b/y": 0.9}), (high, {"a/x": 0.9, "b/y": 0.8})))
    assert fit.best_without("a/x") == low
    assert fit.best_without("b/y") == high
    assert Fit(gap, ((low, {"a/x": 0.5, "b/y": 0.8}), (high, {"a/x": 0.9, "b/y": 0.8}))).best_without("fork/x") == low
    with gap.at(low):
        assert gap.value == low
    assert gap.value == high


def test_latencies_of_one_repository_give_way_to_the_nearest_family() -> None:
    only = operation_table("Stratix 10").repositories
    assert len(only) == 1
    assert operation_table("Stratix 10", without=only[0]) == operation_table("Arria 10")
    assert operation_table("Stratix 10", without="someone/else") == operation_table("Stratix 10")
