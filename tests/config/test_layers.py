"""Settings from files and comments: what wins, and what is reported about mistakes."""

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer, find_file, read_file, resolve
from burstline_server.words.remarks import remark_text
from burstline_server.words.settings import problem_text
from tests.assessing import assess

KERNELS = """// burstline: n=100
__kernel void first(__global float *restrict x, int n) { for (int i = 0; i < n; i++) x[i] = 0; }

// burstline: n=200 bank[x]=3
__kernel void second(__global float *restrict x, int n)
{
    for (int i = 0; i < n; i++) x[i] = 0;
}

__kernel void third(__global float *restrict x, int n)
{
    // burstline: trip[14]=7
    int i = 0;
    while (x[i] > 0) x[i++] = 0;
}
"""


def test_comments_hold_for_their_kernel_or_the_file() -> None:
    text = "// burstline: f_max=222\n\n" + KERNELS.replace("trip[14]", "trip[16]")
    assessment = assess(text, board="s10mx_hbm2")
    launches = {k.facts.name: k.launch for k in assessment.kernels}
    assert assessment.problems == ()
    assert {name: launch.arguments.get("n") for name, launch in launches.items()} == {
        "first": 100, "second": 200, "third": None,
    }  # fmt: skip
    assert launches["second"].banks == {"x": 3}
    assert launches["first"].banks == {}
    assert {launch.f_max_mhz for launch in launches.values()} == {222}


@pytest.mark.parametrize(("written", "version"), [("2022.2", (22, 2, 0)), ("16.x", (16, 0, 0)), ("17.1.1", (17, 1, 1))])
def test_compiler_versions_as_reports_print_them(written: str, version: tuple[int, int, int]) -> None:
    assert assess(KERNELS, aoc_version=written).target.aoc_version == version


def test_a_compiler_newer_than_all_rules_is_said() -> None:
    newest, newer = (assess(KERNELS, aoc_version=version).kernels[0].estimate.remarks for version in ("22.3", "99.9"))
    beyond = [remark for remark in newer if "rules are known up to aoc 22.3" in remark_text(remark)]
    assert len(beyond) == 1
    assert list(newest) == [remark for remark in newer if remark not in beyond]


def test_trips_by_line() -> None:
    (_, _, third) = assess(KERNELS).kernels
    assert third.estimate.loops[0].trip == 7


@pytest.mark.parametrize(
    "text",
    [
        KERNELS.replace("// burstline: trip[14]=7\n    int", "int").replace(
            "x[i++] = 0;\n", "x[i++] = 0; // burstline: trip=7\n"
        ),
        KERNELS.replace("trip[14]=7\n    int i = 0;", "none=1\n    int i = 0;\n    // burstline: trip=7"),
    ],
    ids=["behind the loop", "above it"],
)
def test_trips_at_the_loop(text: str) -> None:
    for moved in (text, "\n\n\n" + text, text.replace("\n", "\r\n")):
        assert assess(moved).kernels[2].estimate.loops[0].trip == 7


def test_an_argument_may_be_called_trip() -> None:
    text = "__kernel void k(__global int *x, int trip) { for (int i = 0; i < trip; i++) x[i] = 1; }\n"
    assert assess("// burstline: trip=9\n" + text).kernels[0].estimate.loops[0].trip == 9


def test_comment_beats_file_and_option_beats_comment() -> None:
    text = "// burstline: board=p520\n__kernel void k(__global int *x) { x[0] = 1; }\n"
    assert assess(text, board="de5net").board.name == "p520"
    layers = [Layer("file", {"board": "de5net"}), Layer("option", {"board": "s10mx"})]
    assert Assessor().assess(text, "k.cl", layers).board.name == "s10mx_hbm2"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ('board = "s10gx"\nmod = "faithful"\n', 2, "did you mean 'mode'"),
        ("f_max_mhz = -3\n", 1, "f_max_mhz"),
        ("[kernels.k]\nglobal_size = [1, 2, 3, 4]\n", 2, "kernels.k.global_size"),
        ("[kernels.k]\nlocal = 4\n", 2, "local_size"),
        (f"global_size = {'9' * 400}\n", 1, "global_size: must be a whole number from 1 to"),
        ("global_size = [nan, nan]\n", 1, "global_size: must be a whole number from 1 to"),
        (f"trips = {{ 4 = -{'9' * 400} }}\n", 1, "trips.4: must be a whole number from 0 to"),
        (f"trips = {{ {'9' * 400} = 4 }}\n", 1, "must be a whole number from 1 to 10000000"),
        ("arguments = { n = 1e300 }\n", 1, "arguments.n: must be a whole number from -9223372036854775808 to"),
        (f"assumed_trips = '{'9' * 900}'\n", 1, "assumed_trips: must be a whole number from 1 to"),
        ("banks = { x = -1 }\n", 1, "banks.x: must be a whole number from 0 to 4095"),
        (f"defines = {{ N = {'9' * 400} }}\n", 1, "defines.N: must be a whole number from"),
        ("defines = { N = inf }\n", 1, "defines.N: must be a whole number from"),
        ("f_max_mhz = inf\n", 1, "f_max_mhz: must be a number from 0.001 to 10000"),
        ("f_max_mhz = nan\n", 1, "f_max_mhz: must be a number from 0.001 to 10000"),
        (f"f_max_mhz = {'9' * 400}\n", 1, "f_max_mhz: must be a number from 0.001 to 10000"),
        (f"aoc_version = '17.{'9' * 400}'\n", 1, "not a compiler version"),
        ('\nboard = "none"\n', 2, "nearest are"),
        ("board = \n", 1, "not valid TOML"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_the_rest_works(
    tmp_path: Path, text: str, line: int, expected: str
) -> None:
    file = tmp_path / "burstline.toml"
    file.write_text(text + ('hints = "everything"\n' if "kernels" not in text else ""))
    layer, problems = read_file(file)
    settings, more, _ = resolve([layer])
    (problem,) = [*problems, *more]
    assert problem.line == line
    assert expected in problem_text(problem)
    if "TOML" not in expected and "kernels" not in text:
        assert settings.hints == "everything"


def test_a_number_that_nobody_can_read_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "burstline.toml"
    file.write_text(f"board = 'de5net'\ntrips = {{ 4 = {'9' * 5000} }}\n")
    layer, (problem,) = read_file(file)
    assert (layer.keys, problem.line) == ({}, 2)
    assert "a number of more than 1000 digits" in problem_text(problem)


@pytest.mark.parametrize(
    "said", ["n={}", "n={}.5", "global_size={}", "trip={}", "trip[{}]=3", "bank[x]={}", "f_max={}"]
)
def test_a_comment_with_an_endless_number_costs_itself_alone(said: str) -> None:
    assessment = assess("// burstline: m=7\n\n" + KERNELS.replace("n=200 bank[x]=3", said.format("9" * 5000)))
    (problem,) = (p for p in assessment.problems if not p.about)
    assert "number from" in problem_text(problem)
    assert [k.launch.arguments.get("m") for k in assessment.kernels] == [7, 7, 7]


@pytest.mark.parametrize("said", ["(64", "64)", "(64,4", "(64,,4)", "(,64)", "64x"])
def test_sizes_that_are_not_whole_are_no_sizes(said: str) -> None:
    text = f"// burstline: global_size={said}\n__kernel void k(__global int *x) {{ x[get_global_id(0)] = 1; }}"
    done = Assessor().assess(text, "k.cl", [])
    assert len(done.problems) == 1
    assert "whole number" in problem_text(done.problems[0])
    assert done.kernels[0].launch.global_size is None


@pytest.mark.parametrize(
    "said",
    [
        "(64,4)",
        "( 64, 4 )",
        "[64,4]",
        "{64, 4}",
        "64,4",
        "64, 4",
        "64x4",
        "64 x 4",
        "64×4",
        "64 4",
        "(64,4,)",
        '"64,4"',
    ],
)
def test_sizes_of_several_dimensions_however_they_are_written(said: str) -> None:
    text = (
        f"// burstline: global_size={said}, n=3 local_size={said}\n"
        "__kernel void k(__global int *x, int n) { x[get_global_id(1) * n + get_global_id(0)] = 1; }"
    )
    done = Assessor().assess(text, "k.cl", [])
    assert not done.problems
    launch = done.kernels[0].launch
    assert (launch.global_size, launch.local_size, launch.arguments) == ((64, 4), (64, 4), {"n": 3})


@pytest.mark.parametrize(("said", "sizes"), [("64, 4=2", (64,)), ("64, n=4", (64,)), ("64, then n=4", (64,))])
def test_what_follows_a_comma_is_a_size_only_where_it_is_a_number(said: str, sizes: tuple[int, ...]) -> None:
    text = f"// burstline: global_size={said}\n__kernel void k(__global int *x, int n) {{ x[get_global_id(0)] = n; }}"
    assert Assessor().assess(text, "k.cl", []).kernels[0].launch.global_size == sizes


def test_an_option_for_all_kernels_beats_a_comment_for_one() -> None:
    given = Layer("option", {"arguments": {"n": 300}, "trips": {"14": 9}, "banks": {"x": 1}})
    (first, second, third) = Assessor().assess(KERNELS, "k.cl", [given]).kernels
    assert [k.launch.arguments["n"] for k in (first, second)] == [300, 300]
    assert second.launch.banks == {"x": 1}
    assert third.estimate.loops[0].trip == 9
    sized = "// burstline: global_size=64 m=3\n__kernel void k(__global int *x, int m) { x[get_global_id(0)] = m; }"
    (kernel,) = Assessor().assess(sized, "k.cl", [Layer("option", {"global_size": 128, "arguments": {"n": 1}})]).kernels
    assert (kernel.launch.global_size, kernel.launch.arguments["m"]) == ((128,), 3)


def test_nearest_file_upwards_but_not_above_the_repository(tmp_path: Path) -> None:
    (tmp_path / "burstline.toml").write_text("")
    inner = tmp_path / "repository" / "device"
    inner.mkdir(parents=True)
    assert find_file(inner / "k.cl") == tmp_path / "burstline.toml"
    (tmp_path / "repository" / ".git").mkdir()
    assert find_file(inner / "k.cl") is None


def test_compiler_flags_are_obeyed() -> None:
    settings, problems, _ = resolve(
        [Layer("file", {"aoc_flags": ["-no-interleaving=default", "-DV=4", "-fpc"], "defines": {"W": True}})]
    )
    assert problems == ()
    assert settings.interleaving is False
    assert settings.defines == {"V": "4", "W": True}


def test_old_compilers_cannot_build_for_stratix_10() -> None:
    assert assess("", aoc_version="16.1").target.family == "Stratix V"
    assert assess("", aoc_version="18.1").target.family == "Stratix 10"
    assert assess("", aoc_version="16.1", device_family="Arria 10").target.family == "Arria 10"
