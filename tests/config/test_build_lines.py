"""From a folder with build files to the answer: which command line is taken, what it sets, and what overrules it."""

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burstline_server.cli.main import main
from burstline_server.commands.build_files import BuildFiles

KERNEL = """__kernel void k(__global float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < N; i++)
        x[i] = y[i];
}
"""
MAKEFILE = """KERNEL := k
FLAGS = -board=p520_hpc_sg280l -fp-relaxed
ifdef EMULATOR
    FLAGS += -march=emulator
endif
FLAGS += -DN=$(SIZE)
SIZE ?= 4096

bin/$(KERNEL).aocx: $(KERNEL).cl
\taoc $(FLAGS) -I inc \\
\t    $< -o $@
"""


def write(folder: Path, files: Mapping[str, str]) -> Path:
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in {"k.cl": KERNEL, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "k.cl"


def answer(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["check", "--format", "json", str(path), *words])
    file: dict[str, Any] = json.loads(capsys.readouterr().out)["files"][0]
    return file


def trip(file: dict[str, Any]) -> float | None:
    trip: float | None = file["kernels"][0]["loops"][0]["trip"]
    return trip


BUILDS: dict[str, dict[str, str]] = {
    "make": {"Makefile": MAKEFILE},
    "make, pattern": {"Makefile": "AOC = aoc\n%.aocx: %.cl\n\t$(AOC) -DN=4096 --board p520 $< -o $@\n"},
    "make, included": {
        "Makefile": "include flags.mk\nk.aocx: k.cl\n\t$(CC_FPGA) $(FLAGS) k.cl\n",
        "flags.mk": "CC_FPGA = aoc\nFLAGS = -board=p520 -D N=4096\n",
    },
    "make, given on its command line": {
        "Makefile": "ifeq ($(VENDOR),intel)\nOCC = aoc\nFLAGS = -DN=4096 -board=p520\nelse\nOCC = v++\nendif\n"
        "k.bin: k.cl\n\t$(OCC) $(FLAGS) $<\n"
    },
    "make, single target": {
        "Makefile": "all: k.aocx\nk.aocx: FLAGS += -DN=4096\nk.aocx: k.cl\n\taoc -board=p520 $(FLAGS) $^\n"
    },
    "shell": {"build.sh": "#!/bin/sh\nBOARD=p520\nset -e\ntime aoc -board=${BOARD} -DN=4096 ./k.cl -o out/k.aocx\n"},
    "shell, another folder": {"build.sh": "cd device && aoc -board=p520 -DN=4096 ../k.cl\n"},
    "cmake": {
        "CMakeLists.txt": 'set(BOARD "p520" CACHE STRING "the board")\n# COMMAND aoc nothing.cl\n'
        "add_custom_command(OUTPUT k.aocx\n  COMMAND ${IntelFPGAOpenCL_AOC} -DN=4096 -board=${BOARD}\n"
        "          ${CMAKE_CURRENT_SOURCE_DIR}/k.cl\n  DEPENDS k.cl)\n"
    },
    "database": {
        "compile_commands.json": json.dumps(
            [
                {"directory": ".", "file": "host.cpp", "command": "g++ -DN=1 -c host.cpp"},
                {"directory": ".", "file": "k.cl", "command": "aoc -DN=4096 -board=p520 k.cl -o k.aocx"},
            ]
        )
    },
    "two files in one command": {"Makefile": "all:\n\taoc -DN=4096 -board=p520 other.cl k.cl -o both.aocx\n"},
}


@pytest.mark.parametrize("files", BUILDS.values(), ids=BUILDS.keys())
def test_the_build_gives_board_and_macros(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]
) -> None:
    file = answer(capsys, write(tmp_path, files))
    assert (file["board"], trip(file)) == ("p520", 4096)
    assert file["board_from"].partition(":")[0] == Path(file["build_line"]["file"]).name
    assert file["diagnostics"] == [d for d in file["diagnostics"] if d["code"] != "BL301"]


def test_the_place_of_each_setting_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {"Makefile": MAKEFILE})
    assert main(["check", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "BittWare 520N (Makefile:10)" in shown
    assert "Makefile:10 gives -D N=4096 -I inc -fp-relaxed" in shown


def test_stronger_settings_overrule_it_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {"Makefile": MAKEFILE})
    assert trip(answer(capsys, path, "-D", "N=7")) == 7
    (tmp_path / "burstline.toml").write_text('board = "de5net"\n[defines]\nN = 64\n')
    file = answer(capsys, path)
    assert (file["board"], file["board_from"], trip(file)) == ("de5net", "", 64)
    path.write_text("// burstline: board=p385a\n" + KERNEL)
    assert answer(capsys, path)["board"] == "p385a"
    main(["check", str(path)])
    assert "gives -D N=" not in capsys.readouterr().out


def test_includes_of_the_build_are_found_whatever_others_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, {"Makefile": "all:\n\taoc -I inc k.cl\n", "inc/n.h": "#define N 12\n", "more/m.h": ""})
    path.write_text('#include "n.h"\n' + KERNEL)
    assert trip(answer(capsys, path)) == 12
    assert trip(answer(capsys, path, "-I", str(tmp_path / "more"))) == 12


def test_hardware_is_preferred_to_emulation_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "emu:\n\taoc -march=emulator -DN=1 k.cl\nhw:\n\taoc -DN=2 k.cl\nagain:\n\taoc -DN=2 k.cl\n"
    path = write(tmp_path, {"Makefile": lines})
    file = answer(capsys, path)
    assert (trip(file), file["build_line"]["line"]) == (2, 4)
    assert file["build_line"]["not_taken"] == ["Makefile:2"]
    main(["check", str(path)])
    assert "not Makefile:2 (emulation)" in capsys.readouterr().out
    (tmp_path / "Makefile").write_text("emu:\n\taoc -march=emulator -DN=1 k.cl\n")
    assert trip(answer(capsys, path)) == 1


def test_of_several_variants_the_one_that_gives_what_the_text_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "a:\n\taoc -DOTHER=1 k.cl\nb:\n\taoc -DN=5 k.cl\nc:\n\taoc -DN=6 -DDEBUG k.cl\n"
    assert trip(answer(capsys, write(tmp_path, {"Makefile": lines}))) == 5


def test_the_nearest_folder_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "Makefile": "k.aocx: device/k.cl\n\taoc -DN=3 $<\n",
        "device/k.cl": KERNEL,
        "deep/device/k.cl": KERNEL,
        "deep/Makefile": "all:\n\taoc -DN=4 device/k.cl\n",
        "elsewhere/Makefile": "all:\n\taoc -DN=9 ../device/k.cl\n",
    }
    write(tmp_path, files)
    assert trip(answer(capsys, tmp_path / "device" / "k.cl")) == 3
    assert trip(answer(capsys, tmp_path / "deep" / "device" / "k.cl")) == 4


def test_folders_above_the_repository_are_not_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Makefile").write_text("all:\n\taoc -DN=3 inner/k.cl\n")
    (tmp_path / "inner").mkdir()
    assert answer(capsys, write(tmp_path / "inner", {}))["build_line"] is None


@pytest.mark.parametrize("option", ["-board=p520_max", "--board p520_max", "-board-package=/opt/p520_max"])
def test_an_unknown_board_is_said_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    path = write(tmp_path, {"Makefile": f"all:\n\taoc -DN=2 {option} k.cl\n"})
    file = answer(capsys, path)
    (said,) = [d["message"] for d in file["diagnostics"] if d["code"] == "BL301"]
    assert "p520_max" in said
    assert "p520" in said.partition("nearest are")[2]
    assert "Makefile:2" in said
    assert trip(file) == 2
    assert file["board_from"].startswith("the default: Makefile:2 is for ")
    chosen = answer(capsys, path, "--board", "de5net")
    assert chosen["board_from"] == ""
    assert "BL301" not in [one["code"] for one in chosen["diagnostics"]]


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("p385a_min_ax115", "p385a"), ("p520_hpc_m210h_g3x16", "p520mx"), ("a10gx_hostpipe", "a10_ref"),
        ("pac_s10_usm", "pac_d5005"), ("intel_s10sx_pac:pac_s10", "pac_d5005"),
        ("intel_a10gx_pac:pac_a10", "pac_a10"), ("de10_nano_sharedonly_hdmi", "de10_nano"),
        ("de1soc_sharedonly_vga", "de1soc"),
    ],
)  # fmt: skip
def test_variants_of_a_board_are_that_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, board: str
) -> None:
    file = answer(capsys, write(tmp_path, {"Makefile": f"all:\n\taoc -board={name} -DN=2 k.cl\n"}))
    assert file["board"] == board
    assert "BL301" not in [one["code"] for one in file["diagnostics"]]


def test_what_the_file_does_not_say_stays_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "all:\n\taoc -board=$(BOARD) -DN=$(N) -DM=$(shell nproc) -I$(SDK)/include $(MORE) k.cl\n"
    file = answer(capsys, write(tmp_path, {"Makefile": lines}))
    assert (file["build_line"]["defines"], file["build_line"]["board"], file["board_from"]) == ({}, None, "")
    assert trip(file) is None


@pytest.mark.parametrize(
    "line",
    [
        "echo aoc -DN=1 k.cl",
        "rm -f k.cl aoc",
        "aoc --version",
        "aocl compile-config",
        "aoc -DN=1 other.cl",
        "v++ -DN=1 k.cl",
    ],
)
def test_other_commands_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert answer(capsys, write(tmp_path, {"Makefile": f"all:\n\t{line}\n"}))["build_line"] is None


def test_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = tmp_path / "ran"
    touch = f"$(shell touch {mark})"
    lines = f"N := {touch}\nall: {touch}\n\t`touch {mark}` aoc -DN=$(N) {touch} k.cl\n"
    answer(capsys, write(tmp_path, {"Makefile": lines, "b.sh": f"aoc $(touch {mark}) k.cl\n"}))
    assert not mark.exists()


def test_folders_outside_the_workspace_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "n.h").write_text("#define N 3\n")
    (tmp_path / "inner").mkdir()
    path = write(
        tmp_path / "inner",
        {
            "Makefile": f"include ../outside/x.mk\nall:\n\taoc -I{outside} -I ../outside k.cl\n",
            "k.cl": '#include "n.h"\n' + KERNEL,
        },
    )
    (outside / "x.mk").write_text("all:\n\taoc -DN=4 k.cl\n")
    file = answer(capsys, path)
    assert file["build_line"]["include_paths"] == []
    assert file["kernels"] == [] or trip(file) is None


def test_options_in_two_words_and_boards_are_obeyed_in_aoc_flags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, {"burstline.toml": 'aoc_flags = ["-D", "N=5", "-I", "inc", "-board=p520"]\n', "inc/n.h": ""})
    path.write_text('#include "n.h"\n' + KERNEL)
    file = answer(capsys, path)
    assert (trip(file), file["board"]) == (5, "p520")
    (tmp_path / "burstline.toml").write_text(f'aoc_flags = ["-I", "{tmp_path.parent}"]\n')
    assert "outside the workspace" in " ".join(d["message"] for d in answer(capsys, path)["diagnostics"])


HOSTILE = {
    "huge": "all:\n\taoc -DN=1 k.cl\n" * 20_000,
    "conditions": "ifdef A\n" * 30_000 + "aoc k.cl\n",
    "long line": "all:\n\taoc " + "-DA=1 " * 40_000 + "k.cl\n",
    "itself": "include Makefile\ninclude Makefile\nall:\n\taoc $(A) k.cl\nA = $(B)\nB = $(A)\n",
    "growing": "".join(f"A{i + 1} = $(A{i})$(A{i})$(A{i})\n" for i in range(60)) + "all:\n\taoc $(A60) k.cl\n",
    "nested": "all:\n\taoc " + "$(" * 5_000 + "k.cl\n",
    "quotes": "all:\n\taoc 'k.cl\n\taoc \"k.cl\n\taoc \\",
    "colons": "a" * 200_000 + "\n" + ": " * 100_000 + "\n" + " " * 200_000 + ":\n",
    "commas": "ifeq (" + "," * 100_000 + "\naoc\nendif\n",
    "null": "all:\n\taoc -DN=1 k.cl\0\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ["Makefile", "CMakeLists.txt", "build.sh", "compile_commands.json"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_cost_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    assert len(answer(capsys, write(tmp_path, {name: text}))["kernels"]) == 1


def test_damaged_files_give_command_lines_of_the_compiler_or_none(tmp_path: Path) -> None:
    chance = random.Random(7)
    path = write(tmp_path, {})
    good = [(name, text) for files in BUILDS.values() for name, text in files.items()]
    found = []
    for _ in range(300):
        name, text = chance.choice(good)
        start = chance.randrange(len(text))
        other = chance.choice(good)[1]
        damaged = text[:start] + other[chance.randrange(len(other)) :]
        (tmp_path / name).write_text(damaged)
        found.append(BuildFiles().for_file(path, KERNEL, tmp_path, ()))
    lines = [one.command.line for one in found if one is not None]
    assert 0 < len(lines) < len(found)
    assert min(lines) >= 1


@pytest.mark.parametrize(
    "entries", ['{"a": 1}', "[1, null, {}]", "[" * 100_000, '[{"file": 3, "arguments": [4]}]', "\\"]
)
def test_a_damaged_database_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], entries: str) -> None:
    assert answer(capsys, write(tmp_path, {"compile_commands.json": entries}))["build_line"] is None


def test_pipes_links_and_folders_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "inner").mkdir()
    path = write(tmp_path / "inner", {})
    os.mkfifo(tmp_path / "inner" / "Makefile")
    (tmp_path / "inner" / "CMakeLists.txt").mkdir()
    (tmp_path / "outside.sh").write_text("aoc -DN=3 k.cl\n")
    (tmp_path / "inner" / "build.sh").symlink_to(tmp_path / "outside.sh")
    assert answer(capsys, path)["build_line"] is None


def test_a_changed_build_file_is_read_again(tmp_path: Path) -> None:
    files = {"Makefile": "include n.mk\nall:\n\taoc -DN=$(N) k.cl\n", "n.mk": "N = 1\n"}
    path, builds = write(tmp_path, files), BuildFiles()

    def n() -> str | None:
        built = builds.for_file(path, KERNEL, tmp_path, ())
        return built.command.flags.defines.get("N") if built is not None else None

    assert n() == "1"
    (tmp_path / "n.mk").write_text("N = 22\n")
    assert n() == "22"
    (tmp_path / "Makefile").unlink()
    assert n() is None
