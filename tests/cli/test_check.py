"""The check command as tools and people use it."""

import json
from pathlib import Path

import jsonschema
import pytest

from burstline_server.cli.main import main
from burstline_server.config.settings import Settings
from burstline_server.presentation.report import json_schema

ROOT = Path(__file__).resolve().parents[2]
COPY = "__kernel void copy(__global const float *restrict x, __global float *restrict y, int n)\n"
LOOP = COPY + "{\n    for (int i = 0; i < n; i++)\n        y[i] = x[i];\n}\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "copy.cl"
    path.write_text(LOOP)
    return path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    """The JSON of a check that succeeds, validated."""
    assert main(["check", "--format", "json", *words]) == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, json_schema())
    return data


def test_json_is_as_documented(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    data = answer(capsys, str(kernel), "--arg", "n=1000000")
    (file,) = data["files"]
    (one,) = file["kernels"]
    assert (data["schema"], file["board"], one["name"], one["line"], one["model"]) == (
        1, "s10gx_ddr4_1866", "copy", 1, "single_work_item",
    )  # fmt: skip
    loop = {"line": 3, "trip": 1e6, "ii": 1, "unroll": 1, "pipelined": True, "serialised_by": None, "carries": []}
    assert one["loops"] == [loop]
    store = next(a for a in one["accesses"] if a["op"] == "store")
    assert (store["line"], store["column"], store["end_line"], store["end_column"]) == (4, 9, 4, 13)
    assert (store["pointer"], store["element_bytes"], store["index"], store["stride"]) == ("y", 4, "i", 1)
    assert store["lsus"] == [{"style": "Burst-coalesced", "width_bits": 32, "count": 1, "runner_up": None}]
    assert store["time_ms"] == pytest.approx(store["t_ideal_ms"] + store["t_ovh_ms"])
    assert store["why"]


def test_unknown_sizes_give_costs_per_iteration_and_no_total(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    (one,) = answer(capsys, str(kernel))["files"][0]["kernels"]
    assert one["time_ms"] is None
    assert one["time_per_item_ns"] > 0
    assert one["loops"][0]["trip"] is None


@pytest.mark.parametrize("format_", ["text", "json", "sarif", "github"])
def test_every_format_prints(capsys: pytest.CaptureFixture[str], kernel: Path, format_: str) -> None:
    assert main(["check", "--format", format_, str(kernel)]) == 0
    out = capsys.readouterr().out
    assert out
    if format_ == "sarif":
        run = json.loads(out)["runs"][0]
        assert {r["ruleId"] for r in run["results"]} <= {r["id"] for r in run["tool"]["driver"]["rules"]}
        assert run["results"]
    if format_ == "github":
        assert out.startswith("::notice file=")


def test_text_shows_every_figure(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["check", str(kernel), "--arg", "n=1000000", "--columns", "all", "--fmax", "300"]) == 0
    out = capsys.readouterr().out
    for word in ("LSU", "width", "δ", "T_ideal", "T_ovh", "time", "saturated", "Burst-coalesced", "f_max = 300 MHz"):
        assert word in out


def test_options_change_the_answer(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    words = [str(kernel), "--arg", "n=1000000"]

    def time(*more: str) -> float:
        return answer(capsys, *words, *more)["files"][0]["kernels"][0]["time_ms"]

    assert time("--fmax", "100") > time("--fmax", "400")
    assert time("--trip", "3=10") < time()
    assert time("--board", "P520_max_sg280l", "--interleaving", "off") > 0
    assert time("--mode", "faithful") > 0
    prefetching = answer(capsys, *words, "--board", "a10_ref", "--aoc-version", "17.1")
    styles = [u["style"] for a in prefetching["files"][0]["kernels"][0]["accesses"] for u in a["lsus"]]
    assert "Prefetching" in styles


def test_defines_and_includes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "types.h").write_text("typedef float4 item;\n#define AT(p, i) p[(i) * STEP]\n")
    path = tmp_path / "k.cl"
    path.write_text('#include "types.h"\n__kernel void k(__global item *x) { AT(x, get_global_id(0)) = 0; }\n')
    data = answer(capsys, str(path), "-I", str(tmp_path / "inc"), "-DSTEP=2", "--global-size", "4096")
    (access,) = data["files"][0]["kernels"][0]["accesses"]
    assert (access["line"], access["column"], access["element_bytes"], access["stride"]) == (2, 37, 16, 2)
    assert "BL302" not in {d["code"] for d in data["files"][0]["diagnostics"]}


def test_a_family_without_a_board_takes_one_of_its_own(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    """As vendor reports name a device: no board is chosen, so none contradicts."""
    (file,) = answer(capsys, str(kernel), "--device-family", "Arria 10", "--aoc-version", "17.1")["files"]
    styles = [u["style"] for a in file["kernels"][0]["accesses"] for u in a["lsus"]]
    assert "Prefetching" in styles


def test_merged_accesses_point_to_their_unit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pair.cl"
    path.write_text(
        "__kernel void pair(__global const float *restrict x, __global float *restrict y)\n"
        "{\n  int i = get_global_id(0);\n  y[i] = x[2 * i] + x[2 * i + 1];\n}\n"
    )
    accesses = answer(capsys, str(path), "--global-size", "4096")["files"][0]["kernels"][0]["accesses"]
    first, second, _ = accesses
    assert first["lsus"] == [{"style": "Burst-coalesced", "width_bits": 64, "count": 1, "runner_up": None}]
    assert second["lsus"] == []
    assert second["merged_into"] == {"line": first["line"], "column": first["column"]}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["missing.cl"], "no such file"),
        (["--board", "s10gs", "KERNEL"], "nearest are"),
        (["--arg", "n", "KERNEL"], "NAME=VALUE"),
        (["--arg", "n=many", "KERNEL"], "arguments.n"),
        (["--aoc-version", "new", "KERNEL"], "18.1 or 17.1.1"),
        (["--device-family", "Virtex", "KERNEL"], "device_family"),
        (["--device-family", "Cyclone V", "--board", "p520", "KERNEL"], "boards of Cyclone V: de10_nano, de1soc"),
        (["--device-family", "Arria 10", "--board", "p520", "KERNEL"], "exclude each other"),
        (["--kernel", "cpy", "KERNEL"], "there are: copy"),
        (["--config", "none.toml", "KERNEL"], "no such file"),
        (["--global-size", "0", "KERNEL"], "global_size"),
    ],
)
def test_unusable_input_is_reported_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], kernel: Path, words: list[str], expected: str
) -> None:
    assert main(["check", *[str(kernel) if w == "KERNEL" else w for w in words]]) == 2
    assert expected in capsys.readouterr().err


def test_fail_on_exits_with_1_only_for_those_codes(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["check", str(kernel), "--fail-on", "BL202"]) == 1
    assert main(["check", str(kernel), "--fail-on", "BL104"]) == 0
    assert "BL202" in capsys.readouterr().out


def test_folders_are_searched_and_binary_files_survive(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.cl").write_text(LOOP)
    (tmp_path / "b.ocl").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "empty.cl").write_text("")
    (tmp_path / "page.cl").write_text("{% for i in range(4) %}__kernel void k{{ i }}() {}{% endfor %}\n")
    files = answer(capsys, str(tmp_path))["files"]
    assert [Path(f["path"]).name for f in files] == ["b.ocl", "a.cl", "empty.cl", "page.cl"]
    assert [len(f["kernels"]) for f in files] == [0, 1, 0, 0]


def test_the_schema_of_settings_takes_fields_as_the_file_does() -> None:
    schema = Settings.model_json_schema()
    jsonschema.validate({"arguments": {"n": 4, "size": {"x": 640}, "box": {"low": {"x": 1}}}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"arguments": {"size": {"x": "wide"}}}, schema)


def test_exported_schemas_are_up_to_date() -> None:
    """Regenerate with: burstline schema output > docs/schema/output.json (and config)."""
    for name, schema in (("output", json_schema()), ("config", Settings.model_json_schema())):
        assert json.loads((ROOT / "docs" / "schema" / f"{name}.json").read_text("utf-8")) == schema


def test_explain_and_boards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "bl105"]) == 0
    assert "Observation 1" in capsys.readouterr().out
    assert main(["explain", "BL999"]) == 2
    assert main(["boards"]) == 0
    assert "s10mx_hbm2" in capsys.readouterr().out
    assert main(["boards", "show", "de5net_a7"]) == 0
    assert "DDR3-1600" in capsys.readouterr().out


def test_no_command_prints_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "check" in capsys.readouterr().err


def test_what_requests_wait_for_the_clock_has_a_row(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    assert main(["check", "--board", "a10_ref", "--fmax", "150", "--arg", "n=16777216", str(kernel)]) == 0

    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.endswith(" %")]
    rows = [row for row in rows if row[0] == "4"]
    assert any("one request a cycle at 150 MHz" in " ".join(row) for row in rows)
    assert sum(int(row[-2]) for row in rows) == 100


@pytest.mark.parametrize(("items", "shown"), [(1000, True), (1_000_000_000, False)])
def test_a_launch_that_shows_on_a_hosts_timer_is_in_the_total(
    capsys: pytest.CaptureFixture[str], kernel: Path, items: int, shown: bool
) -> None:
    assert main(["check", str(kernel), "--arg", f"n={items}"]) == 0
    assert ("with its launch" in capsys.readouterr().out) == shown
    one = answer(capsys, str(kernel), "--arg", f"n={items}")["files"][0]["kernels"][0]
    assert one["host_time_ms"] == pytest.approx(one["time_ms"] + 0.066, abs=1e-6)


def test_results_of_sarif_keep_their_fingerprints_when_lines_are_put_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"

    def prints(text: str) -> list[str]:
        path.write_text(text)
        main(["check", str(path), "--format", "sarif"])
        run = json.loads(capsys.readouterr().out)["runs"][0]
        assert all(rule["fullDescription"]["text"] for rule in run["tool"]["driver"]["rules"])
        return [result["partialFingerprints"]["findingOnLine/v1"] for result in run["results"]]

    text = "__kernel void k(__global int *x)\n{\n    x[j] = 1;\n    x[j] = 1;\n}\n"
    before = prints(text)
    assert len(set(before)) == len(before) > 0
    assert prints("// one more line\n\n" + text) == before
    assert prints(text.replace("x[j] = 1;", "x[j] = 2;", 1)) != before


def test_work_items_that_no_kernel_has_are_said_to_be_unused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, each = tmp_path / "once.cl", tmp_path / "each.cl"
    once.write_text("__kernel void once(__global int *restrict y) { for (int i = 0; i < 64; i++) y[i] = i; }\n")
    each.write_text("__kernel void each(__global int *restrict y) { y[get_global_id(0)] = 1; }\n")
    said = "global_size 4096 is not used: each kernel here is a single work-item"
    assert main(["check", str(once), "--global-size", "4096"]) == 0
    assert capsys.readouterr().err == f"burstline: {said}\n"
    for files in ([each], [once, each]):
        assert main(["check", *map(str, files), "--global-size", "4096"]) == 0
        assert capsys.readouterr().err == ""
    assert main(["check", str(once), "--global-size", "1"]) == 0
    assert capsys.readouterr().err == ""


def test_a_promise_goes_before_a_second_kernel_that_saves_little_more(
    capsys: pytest.CaptureFixture[str], kernel: Path
) -> None:  # fmt: skip
    kernel.write_text(LOOP.replace("restrict ", ""))
    assert main(["check", "--advise", "--board", "a10_ref", "--arg", "n=1048576", str(kernel)]) == 0
    out = capsys.readouterr().out
    title = next(line for line in out.splitlines() if "single work-item:" in line)
    assert "declare the pointers restrict" in title
    assert "fix at hand: Split into four memory" in out


def test_edits_of_one_kind_are_one_line(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    kernel.write_text(
        """
        __kernel void moved(__global const float *a, __global const float *b, __global float *y, int n)
        {
            int i = get_global_id(0);
            for (int k = 0; k < n; k++)
                y[k * 4096 + i] = a[i] + b[i] * k;
        }
        """
    )
    assert main(["check", "--advise", "--global-size", "4096", "--arg", "n=64", str(kernel)]) == 0
    (said,) = [
        line for line in capsys.readouterr().out.splitlines() if "once, before the loop" in line and "fix" in line
    ]
    assert said.endswith("(1 more of this kind: burstline fix --unsafe)")
    main(["fix", "--unsafe", "--global-size", "4096", "--arg", "n=64", str(kernel)])
    listed = capsys.readouterr().out
    assert all(f"Load {name}[i] once, before the loop" in listed for name in "ab")


def test_units_of_a_helper_that_is_called_twice_are_one_row(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    kernel.write_text(
        """
        float at(__global const float *p, int i)
        { return p[i * 9] + p[i * 9 + 4]; }
        __kernel void sums(__global const float *restrict a, __global const float *restrict b,
                           __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = at(a, i) + at(b, i);
        }
        """
    )
    args = ["--global-size", "1048576", "--board", "a10_ref", str(kernel)]
    assert main(["check", *args]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "  load  " in line]
    assert [row[0] for row in rows] == ["3", "3"]
    assert all("2×" in row for row in rows)
    units = [u for u in answer(capsys, *args)["files"][0]["kernels"][0]["accesses"] if u["op"] == "load"]
    assert len(units) == 4
    assert sum(float(row[-4]) for row in rows) == pytest.approx(sum(u["time_ms"] for u in units), rel=0.01)


def test_a_table_has_the_largest_rows_and_the_rest_together(capsys: pytest.CaptureFixture[str], kernel: Path) -> None:
    sums = "\n".join(f"y[i] += x[i * 7 + {40 * n}];" for n in range(24))
    kernel.write_text(
        "__kernel void k(__global const float *restrict x, __global float *restrict y)\\n"
        f"{{\\n    int i = get_global_id(0);\\n{sums}\\n}}\\n".replace("\\n", "\n")
    )
    assert main(["check", "--global-size", "65536", str(kernel)]) == 0
    table = capsys.readouterr().out.partition("    line ")[2].partition("    total ")[0].splitlines()[1:]
    assert len(table) == 16
    assert "more" in table[-1]
    assert sum(int(row.split()[-2]) for row in table) in range(95, 106)


def test_accesses_of_little_time_have_their_rows_in_a_short_table(
    capsys: pytest.CaptureFixture[str], kernel: Path
) -> None:
    kernel.write_text(
        "__kernel void k(__global const int *restrict x, __global int *restrict y, int n)\n{\n"
        "    int v = x[0];\n    for (int i = 0; i < n; i++)\n        v = v / 3 + v % 7 + 1;\n    y[0] = v;\n}\n"
    )
    main(["check", str(kernel), "--arg", "n=1000000"])
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if "Burst-coalesced" in line]
    assert [row.split()[1] for row in rows] == ["x[0]", "y[0]"], out
