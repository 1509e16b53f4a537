"""The papers' tables and published runs from text, and fits of runs of our own making whose answer is known."""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import pytest

from burstline_model.boards.board import BoardFileError, find_board
from burstline_model.memory.calibrated import company
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.validation import benchmark_csv
from burstline_model.validation.fit import fit, toml_of
from burstline_model.validation.measurement import Measurement
from burstline_model.validation.paper import TABLE_4, TABLE_IV, Application
from burstline_server.assessment.assessor import Assessor
from burstline_server.cli import validate as cli_validate
from burstline_server.cli.calibrate import published
from burstline_server.cli.main import main
from burstline_server.validation.inferred_units import units_of
from burstline_server.validation.papers import Validation, validate
from burstline_server.validation.published import assess_run, paper_folder
from burstline_server.validation.suites import published_runs
from burstline_server.words.boards import board_error_text


@cache
def validated() -> Validation:
    return validate(())


@pytest.mark.parametrize("printed", [*TABLE_IV, *TABLE_4], ids=lambda r: f"{r.name} {r.memory}")
def test_rows_named_exact_are_exact_from_source_text(printed: Application) -> None:
    row = next(r for r in (*validated().table_iv, *validated().table_4) if r.printed is printed)
    if printed.status == "exact" and printed.printed_ms is not None:
        assert row.faithful_ms is not None
        assert f"{row.faithful_ms:.1f}" == f"{printed.printed_ms:.1f}"
    else:
        assert printed.note


def test_the_calibrated_mode_halves_the_papers_own_error_on_its_applications() -> None:
    for memory, bound in (("DDR4-1866", 3.5), ("HBM2", 8.6)):
        rows = [
            r for r in validated().table_4
            if r.printed.memory == memory and r.calibrated_ms is not None and r.printed.printed_ms is not None
            and r.printed.status != "not reproducible"
        ]  # fmt: skip
        errors = [abs((r.calibrated_ms or 0) / r.printed.measured_ms - 1) * 100 for r in rows]
        assert len(errors) == 10
        assert sum(errors) / len(errors) < bound


def test_every_kernel_of_the_table_is_in_the_examples() -> None:
    assert all((paper_folder() / row.file).is_file() for row in (*TABLE_IV, *TABLE_4) if row.file)


HEAD = ",".join((*benchmark_csv.COLUMNS, "banks"))


def made(reads: int, writes: int, share: float, *, width: int = 64, mhz: float = 400, banks: int = 1) -> str:
    """A run on the 385A in which the memory reaches `share` of the peak of its banks."""
    size = 2.0**30
    seconds = size * (reads + writes) / banks / (17.064e9 * share)
    return f"aligned,{reads},{writes},{width},{size:g},{mhz},{seconds * 1e3:.6f},{banks}"


def test_a_fit_finds_what_the_runs_were_made_with(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [made(1, 0, 0.95), made(1, 1, 0.9), made(2, 0, 0.8), made(2, 1, 0.7), made(1, 1, 0.6, banks=2)]
    rows += [made(2, 0, 0.8 * 0.7, width=32, mhz=266), made(2, 0, 0.8 * 0.4, width=16, mhz=266)]
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    board = find_board("p385a")
    figures = fit(benchmark_csv.read(path, board), board).figures
    assert figures["banked"] == {"1+0": 0.95, "1+1": 0.9, "2+0": 0.8, "2+1": 0.7}
    assert figures["interleaved"] == {"1+1": 0.6}
    assert figures["narrow"] == (0.4, 0.7)


def test_a_quarter_that_was_not_run_follows_from_a_fixed_cost_of_each_request(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    half = 0.8
    rows = [made(2, 0, 0.9), made(2, 0, 0.9 * half, width=32, mhz=266)]
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    board = find_board("p385a")
    costs = 1 / half - 1  # of the time that a request of the whole width takes
    assert fit(benchmark_csv.read(path, board), board).figures["narrow"] == (
        pytest.approx(1 / (1 + 3 * costs), abs=1e-3),
        half,
    )


def test_runs_that_the_kernels_clock_bounds_say_nothing_of_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(f"{HEAD}\naligned,1,0,4,1e9,100,2500,1\n")
    board = find_board("p385a")
    assert fit(benchmark_csv.read(path, board), board).figures == {}


def test_which_bank_set_the_time_is_found_out() -> None:
    """Reads a, b, c and a write d by hand on two banks: one bank has two reads, the other a read and a write."""
    size, peak, both, reads = 2.0**30, 17.064e9, 0.9, 0.8
    rows = [
        placed("R2W1", {"load": (0, 1), "store": (1,)}, 2 * size / (peak * both)),
        placed("R2W2", {"load": (0, 1), "store": (0, 1)}, 2 * size / (peak * both)),
        placed("R3W1", {"load": (0, 1, 0), "store": (1,)}, 2 * size / (peak * reads)),
    ]
    fitted = fit(rows, find_board("p385a"))
    assert fitted.figures["banked"] == {"1+1": 0.9, "2+0": 0.8}
    assert 'banked = { "1+1" = 0.9, "2+0" = 0.8 }  # 3 rows' in toml_of(fitted, "here")


def placed(name: str, banks: dict[Literal["load", "store"], tuple[int, ...]], seconds: float) -> Measurement:
    """Wide streams of 1 GiB on the 385A, each in a bank."""
    units = tuple(
        MemoryUnit(kind="aligned", op=op, width_bytes=64, bytes=2.0**30, access_bytes=64, banks=(bank,))
        for op, where in banks.items()
        for bank in where
    )
    return Measurement(
        id=name, set="ours", board="p385a", group="banked", units=units, f_max_hz=4e8, time_s=seconds, fit=True
    )


def test_calibrate_prints_what_a_board_file_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, board = tmp_path / "runs.csv", tmp_path / "mine.toml"
    runs.write_text("\n".join([HEAD, made(1, 1, 0.5)]) + "\n")
    assert main(["calibrate", str(runs), "--board", "p385a", "--source", "my runs"]) == 0
    printed = capsys.readouterr().out
    own = next(p for p in Path(find_board.__code__.co_filename).parent.glob("p385a.toml"))
    board.write_text(own.read_text("utf-8").split("[measured]")[0] + printed)
    assert find_board(str(board)).measured.banked_share(1, 1) == 0.5
    assert main(["boards", "check", str(board)]) == 0
    assert "measured" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reads,writes\n1,1\n", "no column kind"),
        (f"{HEAD}\naligned,0,0,64,1e9,300,1,1\n", "runs.csv:2: 0 accesses"),
        (f"{HEAD}\naligned,1,0,64,1e9,300,1,9\n", "over 9 banks on a board of 2"),
        (f"{HEAD}\naligned,1,x,64,1e9,300,1,1\n", "runs.csv:2: invalid literal"),
        (f"{HEAD}\n", "no run on p385a"),
    ],
)
def test_unusable_runs_are_reported_with_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(text)
    assert main(["calibrate", str(path), "--board", "p385a"]) == 2
    assert expected in capsys.readouterr().err


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fiftieth of the published runs."""
    runs = published_runs()[::50]
    monkeypatch.setattr(cli_validate, "published_runs", lambda: runs)


@pytest.mark.slow
@pytest.mark.usefixtures("few_runs")
def test_validate_prints_tables_json_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate"]) == 0
    text = capsys.readouterr().out
    assert "VectorAdd" in text
    assert "misprint" in text
    assert main(["validate", "--format", "json"]) == 0
    assert '"table_4"' in capsys.readouterr().out
    page, picture = tmp_path / "page.md", tmp_path / "plot.svg"
    assert main(["validate", "--markdown", str(page), "--plot", str(picture)]) == 0
    assert "FPGAMemBench FREQ" in page.read_text("utf-8")
    assert picture.read_text("utf-8").lstrip().startswith("<?xml")


def test_every_published_run_gets_a_time_from_its_text() -> None:
    assessor = Assessor()
    runs = published_runs()
    for run in {(r.file, r.kernel, r.kind, "steps" in r.arguments, r.board): r for r in runs}.values():
        kernel = assess_run(run, assessor, "calibrated")
        assert kernel.estimate.time_s, run.id
        assert units_of(kernel), run.id


@pytest.mark.slow
def test_a_fit_from_text_is_what_the_board_files_hold() -> None:
    """Streams, non-aligned and data-dependent units of the kits, as published, give the figures that are shipped."""
    for name, keys in (("s10gx_ddr4_1866", ("banked", "aligned", "narrow", "non_aligned", "scattered")),
                       ("s10mx_hbm2", ("aligned", "non_aligned", "scattered"))):  # fmt: skip
        board = find_board(name)
        fitted = fit(published(name), board)
        for key in keys:
            assert fitted.figures[key] == getattr(board.measured, key), (name, key)


def test_the_parts_of_a_scattered_access_count_once() -> None:
    """On 18.1, 15 of 16 lanes' stores to data-dependent places wait and one does not: one access, one element each."""
    run = next(r for r in published_runs() if r.id == "zmicro-s10gx-ACK-1-16")
    kernel = assess_run(run, Assessor(), "calibrated")
    units = units_of(kernel)
    assert len(units) == 2
    assert {u.access_bytes for u in units} == {4}
    assert company(units).banks[0].accesses == 1


@pytest.mark.parametrize("run", ["ATOMIC-1-2", "ATOMIC-1-16", "ATOMIC-2-16", "ATOMIC-6-4"])
def test_every_atomic_at_a_fixed_address_is_made(run: str) -> None:
    """One for each work-item where operands differ, one for all lanes where they do not; also if no id is asked for."""
    published = next(r for r in published_runs() if r.id == f"zmicro-s10gx-{run}")
    time = assess_run(published, Assessor(), "calibrated").estimate.time_s
    assert time == pytest.approx(published.measured_s, rel=0.06)


def test_what_overlapping_blocks_move_is_what_the_suite_counts() -> None:
    """With halos of 32, blocks of 1024 overlap by 64: 1024 / 960 of the array, less what lies outside of it."""
    run = next(r for r in published_runs() if r.suite == "FPGAMemBench" and r.arguments["halo"] == 32)
    length = run.arguments["length"]
    assert run.bank_bytes / 4 == pytest.approx(length * 1024 / 960, rel=1e-5)
    assert run.bank_bytes / 4 < length * 1024 / 960


SPEC = """<?xml version="1.0"?>
<board version="19.1" name="our_card">
  <device device_model="1sx280.xml"/>
  <global_mem name="DDR" max_bandwidth="38400" interleaved_bytes="2048" default="1">
    <interface name="a" type="slave" width="512" maxburst="16" address="0" size="1"/>
    <interface name="b" type="slave" width="512" maxburst="16" address="1" size="1"/>
  </global_mem>
</board>
"""


def test_a_board_specification_becomes_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, out = tmp_path / "board_spec.xml", tmp_path / "card.toml"
    spec.write_text(SPEC)
    assert main(["boards", "import", str(spec), "-o", str(out)]) == 0
    board = find_board(str(out))
    assert (board.name, board.compiler.family, board.compiler.aoc_version) == ("our_card", "Stratix 10", "19.1")
    memory = board.memory
    assert (memory.banks, memory.clock_mhz, memory.word_bytes, memory.interleave_bytes) == (2, 1200, 64, 2048)
    assert "assumed" in memory.source
    (tmp_path / "burstline.toml").write_text('board = "card.toml"\n')
    kernel = tmp_path / "k.cl"
    kernel.write_text("__kernel void k(__global int *restrict x) { x[get_global_id(0)] = 1; }\n")
    capsys.readouterr()
    assert main(["check", str(kernel)]) == 0
    assert "our_card" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "", "<board/>", "<other/>", '<!DOCTYPE a [<!ENTITY b "c">]><board>&b;</board>', "\x00\x01", "<board",
        '<board><global_mem max_bandwidth="1"/></board>', SPEC.replace('"38400"', '"inf"'),
    ],
)  # fmt: skip
def test_what_is_no_specification_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    spec = tmp_path / "board_spec.xml"
    spec.write_text(text)
    assert main(["boards", "import", str(spec)]) == 2
    assert "board_spec.xml" in capsys.readouterr().err


def test_an_imported_name_is_kept_whatever_is_in_it(tmp_path: Path) -> None:
    spec, out = tmp_path / "board_spec.xml", tmp_path / "card.toml"
    spec.write_text(SPEC.replace("our_card", "a&#10;&quot;b&quot;\\"))
    assert main(["boards", "import", str(spec), "-o", str(out)]) == 0
    assert find_board(str(out)).name == 'a\n"b"\\'


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('aoc_version = "17.1.2"', 'aoc_version = "1.5f"'), ("banks = 2", "banks = 0"),
        ("t_rcd_ns = 13.5", "t_rcd_ns = nan"), ("burst_count_log2 = 4", "burst_count_log2 = 99999999"),
        ("in_step = [", "in_step = [] #"), ("f_max_mhz = 300.0", "f_max_mhz = -inf"),
    ],
)  # fmt: skip
def test_a_board_with_a_figure_that_no_hardware_has_is_refused(tmp_path: Path, right: str, wrong: str) -> None:
    shipped = (resources.files("burstline_model") / "boards" / "p385a.toml").read_text("utf-8")
    assert right in shipped
    (tmp_path / "card.toml").write_text(shipped.replace(right, wrong))
    with pytest.raises(BoardFileError) as caught:
        find_board(str(tmp_path / "card.toml"))
    assert wrong.partition(" ")[0] in board_error_text(caught.value)
