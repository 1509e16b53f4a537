"""Loops that end by what they load: an iteration begins when the loaded value says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_model.estimate.kernel_estimate import LoopEstimate
from burstline_server.cli.main import main
from burstline_server.words.kernel_times import time_line
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

VERSIONS = ["16.1", "18.1", "20.4"]
HEAD = "__kernel void k(__global const int *restrict x, __global int *restrict y, int n, int key)\n{\n"
ONE_LOAD = {
    "condition behind": "int i = 0; do { i++; } while (i < n && x[i] != key); y[0] = i;",
    "condition": "int i = 0; while (i < n && x[i] != key) i++; y[0] = i;",
    "break": "int i; for (i = 0; i < n; i++) if (x[i] == key) break; y[0] = i;",
    "flag": "int f = 0; int i; for (i = 0; i < n && !f; i++) f = x[i] == key; y[0] = i;",
    "switch": "for (int i = 0; i < n; i++) { switch (x[i]) { case 3: y[0] = i; return; default: break; } }",
    "else of else": "for (int i = 0; i < n; i++) { if (i == key) y[1] = i; else { int v = x[i]; if (v > 3) break; } }",
    "goto": "int i; for (i = 0; i < n; i++) { if (x[i] == key) goto out; }\nout: y[0] = i;",
    "return": "for (int i = 0; i < n; i++) { if (x[i] == key) { y[0] = i; return; } }",
}
KNOWN = {
    "load before the loop": "int m = x[0]; int s = 0; for (int i = 0; i < m; i++) s += i ^ s; y[0] = s;",
    "same place in each iteration": "int s = 0; for (int i = 0; i < x[0]; i++) s += i; y[0] = s;",
    "goto in the body": "for (int i = 0; i < n; i++) { if (x[i] == key) goto next; y[i] = 1; next: ; }",
    "break of a switch": "for (int i = 0; i < n; i++) { switch (x[i]) { case 3: y[i] = 1; break; default: break; } }",
    "a table on the chip": "int t[64]; for (int i = 0; i < 64; i++) t[i] = i * key;\n"
    "int i = 0; while (i < 64 && t[i] != n) i++; y[0] = i;",
}


def last_loop(body: str, version: str) -> LoopEstimate:
    """The last loop of a kernel that a single work-item runs."""
    return assess(HEAD + body + "\n}", args={"n": 4096}, aoc_version=version).kernels[0].estimate.loops[-1]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", ONE_LOAD.values(), ids=ONE_LOAD)
def test_iteration_waits_for_the_load_that_ends_the_loop(body: str, version: str) -> None:
    ii = last_loop(body, version).ii
    assert ii is not None
    assert ii > 100  # a load from global memory takes more than 100 cycles in every report


@pytest.mark.parametrize("version", VERSIONS)
def test_loads_that_follow_each_other_add_up(version: str) -> None:
    one = last_loop(ONE_LOAD["condition"], version).ii
    two = last_loop("int i = 0; while (i < n && x[x[i]] != key) i++; y[0] = i;", version).ii
    assert one is not None
    assert two is not None
    assert 1.8 * one < two < 2.2 * one


def test_loads_of_a_loop_in_a_macro_are_not_those_of_its_condition() -> None:
    """All of it is at one place of the text: where the macro is used."""
    text = "#define COPY for (int i = 0; i < n; i++) y[i] = x[i];\n" + HEAD + "COPY\n}"
    assert assess(text, args={"n": 4096}).kernels[0].estimate.loops[0].ii == 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN)
def test_loop_does_not_wait_for_what_is_known_before_or_on_the_chip(body: str, version: str) -> None:
    assert last_loop(body, version).ii in (1, 2, 3)


def test_advice_for_a_search_is_to_end_by_a_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "find.cl"
    file.write_text(HEAD + ONE_LOAD["condition"] + "\n}\n")
    main(["check", "--advise", "--arg", "n=4096", str(file)])
    out = capsys.readouterr().out
    assert "whether there is a next iteration follows from x[i]" in out
    assert "do: let a count end the loop, not a loaded value: " in out


SEARCH = """
__kernel void lookup(__global const int *restrict keys, __global const int *restrict table, __global int *restrict out,
                     int n, int m)
{
    for (int i = 0; i < n; i++) {
        int low = 0, high = m;
        while (low < high) {
            int middle = (low + high) >> 1;
            if (table[middle] < keys[i]) low = middle + 1; else high = middle;
        }
        out[i] = low;
    }
}
"""


def test_binary_search_waits_for_one_load_a_step_and_is_advised_local_memory() -> None:
    """Both loads of a step are made together; the address of one follows from the step before, not from the other."""
    kernel = assess(SEARCH, args={"n": 1024, "m": 1024}).kernels[0]
    chain = kernel.estimate.loops[1]
    assert chain.ii is not None
    assert 150 < chain.ii < 300
    assert lever_lines(kernel, 1)[0].startswith("copy what it looks up to local memory")


def test_time_is_a_bound_at_assumed_sizes_too() -> None:
    text = HEAD + "for (int i = 0; i < n; i++) { if (x[i] == key) break; y[i] = key; }\n}"
    assert time_line(assess(text).kernels[0]).startswith("≈? at most ")
