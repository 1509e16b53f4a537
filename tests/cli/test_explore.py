"""The explore command: what it costs, ranks, refuses, makes and keeps."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.main import main
from burstline_server.rewrites import catalogue
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, TextEdit
from tests.assessing import assess
from tests.rewrites.wrong import LastTurnLeftOut

SCALE = """#define LANES 1 // how wide
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void scale(__global const uchar *restrict x, __global uchar *restrict y)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        y[i * 4 + k] = LANES * x[i * 4 + k];
}
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
SIZES = ("--global-size", "1048576")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "scale.cl"
    path.write_bytes(SCALE.encode())
    return path


def found(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON of an exploration that found something."""
    assert main(["explore", "--format", "json", *words]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_variants_come_fastest_first_and_cost_what_a_check_says(
    capsys: pytest.CaptureFixture[str], kernel: Path
) -> None:
    data = found(capsys, str(kernel), *SIZES, "--fmax", "300", "--simd", "1,2,4", "--compute-units", "1..2")
    rows = data["variants"]
    times = [row["time_ms"] for row in rows]
    assert len(rows) == 6
    assert times == sorted(times)
    for row in rows:
        setting = row["setting"]
        text = SCALE.replace(
            "__kernel", f"__attribute__((num_simd_work_items({setting['simd']})))\n"
            f"__attribute__((num_compute_units({setting['compute_units']})))\n__kernel"
        )  # fmt: skip
        checked = assess(text, global_size=[1 << 20], f_max_mhz=300).kernels[0].estimate.time_s
        assert checked is not None
        assert row["time_ms"] == pytest.approx(checked * 1e3)


def test_the_table_shows_knobs_gain_and_the_front(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["explore", str(kernel), *SIZES, "--simd", "1..4*2", "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["N", "simd", "time", "gain", "logic", "RAM", "DSP", "front"]
    assert lines[1].split()[:2] == ["1", "4"]
    assert "×" in lines[1]
    assert "3 of 3 variants listed fit; the 2 fastest are shown" in "\n".join(lines)


def test_what_cannot_be_built_is_counted_by_reason(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    data = found(capsys, str(kernel), *SIZES, "--simd", "1,3,128")
    assert len(data["variants"]) == 1
    assert sum(data["texts"][0]["refused"].values()) == 2
    assert any("powers of two" in reason for reason in data["texts"][0]["refused"])


def test_nothing_fits(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["explore", str(kernel), *SIZES, "--simd", "2", "--max-time", "0.000001"]) == 1
    assert "0 of 1 variants listed fit" in capsys.readouterr().out


def test_macros_make_texts_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "loop.cl"
    path.write_text("__kernel void k(__global int *x)\n{\n    for (int i = 0; i < SIZE; i++)\n        x[i] = i;\n}\n")
    data = found(capsys, str(path), "--define", "SIZE=1024,4096", "--unroll", "3:1,8")
    by_size = {
        (row["setting"]["defines"]["SIZE"], row["setting"]["unroll"]["3"]): row["time_ms"] for row in data["variants"]
    }
    assert len(by_size) == 4
    first_ms = 240e-6  # the way of a store to the memory and back
    assert by_size["4096", 1] - first_ms == pytest.approx(4 * (by_size["1024", 1] - first_ms), rel=0.01)
    assert by_size["1024", 8] < by_size["1024", 1]


def test_a_variant_is_made_by_editing_the_file(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    kernel.write_bytes(b"\xef\xbb\xbf" + SCALE.replace("\n", "\r\n").encode())
    words = [str(kernel), *SIZES, "--simd", "1,4", "--define", "LANES=2", "--unroll", "6:4"]
    assert main(["explore", *words, "--apply", "1"]) == 0
    after = kernel.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf#define LANES 2 // how wide\r\n")
    assert b"num_simd_work_items(4)" in after
    assert b"    #pragma unroll 4\r\n    for" in after
    assert b"\n" not in after.replace(b"\r\n", b"")
    assert "is now variant 1" in capsys.readouterr().err


def test_cells_for_spreadsheets(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["explore", "--format", "csv", str(kernel), *SIZES, "--simd", "1,2"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["simd"] for row in rows] == ["2", "1"]
    assert float(rows[0]["time_ms"]) <= float(rows[1]["time_ms"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--simd", "8..2*1"], "does not grow"),
        (["--simd", "1..x"], "1..16"),
        (["--simd", "0,1"], "from 1 on"),
        (["--unroll", "8"], "LINE:1,2,4"),
        (["--unroll", "99:2"], "no loop on this line; its loops: 6"),
        (["--define", "1X=3"], "NAME=16,32,64"),
        (["--place", "x"], "--place x=0,y=1"),
        (["--place", "q=1"], "does not reach global memory through q"),
        (["--kernel", "other"], "there are: scale"),
        (["--apply", "7"], "there are variants 1 to"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no cluster answers"),
    ],
)
def test_what_cannot_be_used_says_how_to_write_it(
    capsys: pytest.CaptureFixture[str], kernel: Path, words: list[str], expected: str
) -> None:
    assert main(["explore", str(kernel), *SIZES, *words]) == 2
    assert expected in capsys.readouterr().err


def test_without_sizes_it_says_what_to_give(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["explore", str(kernel), "--simd", "1,2"]) == 2
    assert "--global-size" in capsys.readouterr().err


def test_finished_parts_are_kept_and_a_torn_line_is_done_anew(
    capsys: pytest.CaptureFixture[str], kernel: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.jsonl"
    words = [str(kernel), *SIZES, "--define", "LANES=1,2,3", "--simd", "1,2", "--resume", str(kept)]
    first = found(capsys, *words)
    lines = kept.read_text("utf-8").splitlines()
    assert len(lines) == 3
    kept.write_text("\n".join(lines[:2]) + "\n" + lines[2][:40] + "\n", "utf-8")
    again = found(capsys, *words)
    assert again["variants"] == first["variants"]
    assert len(kept.read_text("utf-8").splitlines()) == 4


@pytest.mark.parametrize("name", ["/dev/full", "/dev/zero"])
def test_results_are_kept_in_files_alone(capsys: pytest.CaptureFixture[str], kernel: Path, name: str) -> None:
    if not Path(name).exists():
        pytest.skip("no such device")
    assert main(["explore", str(kernel), "--resume", name]) == 2
    assert capsys.readouterr().err == f"burstline: {name}: results cannot be kept there (not a regular file)\n"


def test_a_file_of_something_else_is_not_overwritten(
    capsys: pytest.CaptureFixture[str], kernel: Path, tmp_path: Path
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("mine\n")
    assert main(["explore", str(kernel), *SIZES, "--simd", "1,2", "--resume", str(other)]) == 2
    assert "choose another name" in capsys.readouterr().err
    assert other.read_text() == "mine\n"


def test_a_cluster_finds_the_same(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'burstline[cluster]'")
    words = [str(kernel), *SIZES, "--define", "LANES=1,2,3", "--simd", "1,2"]
    here = found(capsys, *words)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        there = found(capsys, *words, "--scheduler", cluster.scheduler_address)
    assert there["variants"] == here["variants"]


def test_offered_edits_are_variants_too(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(EXAMPLES / "feedforward" / "fw.cl"), "--edits", "--top", "100")
    by_edit = {row["setting"].get("edit", "").partition(" (")[0]: row["time_ms"] for row in data["variants"]}
    halves = by_edit["Split into a memory and a compute kernel joined by channels"]
    quarters = by_edit["Split into two memory and two compute kernels joined by channels"]
    assert by_edit[""] > 50 * halves
    assert quarters <= halves


COPY = """__kernel void copy(__global const int *restrict x, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 3 * x[i];
}
"""


class LastTurnLeftOutForTime(LastTurnLeftOut):
    """The same, made for time's sake."""

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        for one in super().candidates(assessment, kernel):
            offer = replace(one.make(), codes=("BL101",))
            yield Candidate(one.title, one.spans, lambda offer=offer: offer)


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A kernel for which a wrong edit is offered, and vectors."""
    monkeypatch.setattr(catalogue, "REWRITES", (LastTurnLeftOutForTime(),))
    path = tmp_path / "copy.cl"
    path.write_text(COPY)
    return path


def test_an_edit_says_what_it_rests_on_and_that_it_was_executed(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(EXAMPLES / "feedforward" / "nn.cl"), "--edits", "--top", "100")
    shown = {
        row["setting"]["edit"].partition(" ")[0]: row["setting"]["edit_shown"]
        for row in data["variants"]
        if "edit" in row["setting"]
    }
    assert shown["Vectorise"] == "a proof, executed"
    assert shown["Unroll"] == "a proof, executed"


@pytest.mark.parametrize("knobs", [(), ("--fmax-list", "200,300")])
def test_an_edit_that_executing_contradicts_is_no_variant(
    capsys: pytest.CaptureFixture[str], wrong: Path, knobs: tuple[str, ...]
) -> None:
    data = found(capsys, str(wrong), "--arg", "n=4096", "--edits", *knobs)
    assert not [row for row in data["variants"] if row["setting"].get("edit", "").startswith("Unroll")]
    reasons = [reason for text in data["texts"] for reason in text["refused"]]
    assert any(reason.endswith("leaves another value in y[7]") for reason in reasons)


def test_an_edit_that_could_not_be_executed_says_so_in_the_table(
    capsys: pytest.CaptureFixture[str], wrong: Path
) -> None:
    wrong.write_text(COPY.replace("y[i] = 3 * x[i];", "{ if (x[i] < 0) goto done; y[i] = x[i]; done: ; }"))
    data = found(capsys, str(wrong), "--arg", "n=4096", "--edits")
    edited = [row["setting"] for row in data["variants"]]
    (shown,) = {one["edit_shown"] for one in edited if one.get("edit", "").startswith("Unroll")}
    assert shown == "a proof (not executed: a statement is beyond the interpreter (goto_statement))"
    assert main(["explore", str(wrong), "--arg", "n=4096", "--edits"]) == 0
    assert "not executed" in capsys.readouterr().out


GROUPED = """__kernel void add(__global const int *restrict x, __global int *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[i] + 1;
}
"""


class NotInGroupsOf64(LastTurnLeftOut):
    """Stores from work-groups of any size but 64, and says that this is proved."""

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        text = assessment.source.original
        at, title, spans = text.find(b"y[i] ="), Title("unroll", ("i",)), (Span(start=0, end=len(text)),)
        edits = (TextEdit(at, at, "if (get_local_size(0) != 64) "),)
        yield Candidate(title, spans, lambda: Offer(title, "proved", kernel.facts.name, edits, spans, codes=("BL101",)))


def test_an_edit_is_executed_with_each_work_group_size(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "REWRITES", (NotInGroupsOf64(),))
    path = tmp_path / "add.cl"
    path.write_text(GROUPED)
    data = found(capsys, str(path), *SIZES, "--edits", "--group", "64", "--group", "32", "--top", "100")
    edited = [row["setting"] for row in data["variants"] if "edit" in row["setting"]]
    assert {tuple(one["local_size"]) for one in edited} == {(32,)}
    assert {one["edit_shown"] for one in edited} == {"a proof, executed"}
    assert any("another value in y" in reason for text in data["texts"] for reason in text["refused"])


def test_an_edit_and_the_knobs_over_it_are_made_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "nn.cl"
    path.write_bytes((EXAMPLES / "feedforward" / "nn.cl").read_bytes())
    words = [str(path), "--edits", "--fmax-list", "200,300", "--top", "100"]
    rows = found(capsys, *words)["variants"]
    wide = next(i for i, row in enumerate(rows, 1) if row["setting"].get("edit", "").startswith("Vectorise"))
    assert {row["setting"]["f_max_mhz"] for row in rows if row["setting"].get("edit", "").startswith("Vect")} == {
        200,
        300,
    }
    assert main(["explore", *words, "--apply", str(wide)]) == 0
    assert "vload16" in path.read_text() or "float16" in path.read_text()


def test_a_text_that_cannot_be_explored_does_not_cost_the_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "some.cl"
    path.write_text(
        "#if SIZE > 1\n__kernel void k(__global int *x)\n{\n    for (int i = 0; i < SIZE; i++)\n"
        "        x[i] = i;\n}\n#endif\n"
    )
    data = found(capsys, str(path), "--kernel", "k", "--define", "SIZE=1,1024")
    assert [row["setting"]["defines"] for row in data["variants"]] == [{"SIZE": "1024"}]
    assert any("no kernel is called" in reason for text in data["texts"] for reason in text["refused"])


def test_what_takes_too_much_is_left_out_before_the_fastest_are_kept(
    capsys: pytest.CaptureFixture[str], kernel: Path
) -> None:
    words = [str(kernel), *SIZES, "--board", "de10_nano", "--compute-units", "1..200"]
    tight, loose = (found(capsys, *words, "--max-use", share, "--top", "500") for share in ("10", "100"))
    assert 0 < len(tight["variants"]) < len(loose["variants"])
    assert all(max(row["logic"], row["rams"], row["dsps"]) <= 0.1 for row in tight["variants"])
    assert any("more than 10 % of a resource" in reason for reason in tight["texts"][0]["refused"])


def test_vectors_of_every_width_are_variants(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(EXAMPLES / "feedforward" / "nn.cl"), "--edits", "--top", "100")
    times = {
        row["setting"]["edit"].partition("float")[2].rstrip(")"): row["time_ms"]
        for row in data["variants"]
        if row["setting"].get("edit", "").startswith("Vectorise")
    }
    assert set(times) == {"2", "4", "8", "16"}
    assert times["16"] < times["8"] < times["4"] < times["2"]


def test_a_macro_that_the_text_defines_itself_takes_each_value(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "tile.cl"
    loop = "for (int i = 0; i < TILE * 1024; i++)\n        x[i] = i;"
    path.write_text(f"#define TILE 16 // here\n__kernel void k(__global int *restrict x)\n{{\n    {loop}\n}}\n")
    data = found(capsys, str(path), "--define", "TILE=16,64")
    # Four times the work in four times the time: neither is better, and the larger one fills its pipeline once.
    second, first = data["variants"]
    assert (first["setting"]["defines"], second["setting"]["defines"]) == ({"TILE": "16"}, {"TILE": "64"})
    assert (first["work"], second["work"]) == (1.0, 4.0)
    assert second["time_ms"] == pytest.approx(4 * first["time_ms"], rel=0.01)
    # Both are held against the source as it is.
    assert {text["now_ms"] for text in data["texts"]} == {first["time_ms"]}


WORKS = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 65536; i++) {
        #pragma unroll
        for (int j = 0; j < WIDE; j++)
            y[i * WIDE + j] = x[i * WIDE + j];
    }
}
"""


def test_variants_that_do_unequal_work_are_compared_for_the_same_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A launch that stores a sixteenth is not the best for being the shortest."""
    path = tmp_path / "wide.cl"
    path.write_text(WORKS)
    rows = found(capsys, str(path), "--define", "WIDE=1,4,16")["variants"]
    assert [row["setting"]["defines"]["WIDE"] for row in rows] == ["16", "4", "1"]
    assert [row["work"] for row in rows] == [16.0, 4.0, 1.0]
    assert rows[0]["time_ms"] > rows[-1]["time_ms"]
    assert main(["explore", str(path), "--define", "WIDE=1,4,16"]) == 0
    assert "unequal work" in capsys.readouterr().out
