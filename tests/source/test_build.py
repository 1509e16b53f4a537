"""What a build gives a kernel and the file alone does not: defines, includes from elsewhere, the board's name."""

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import markdown, plain
from burstline_server.presentation.cards import access_card
from burstline_server.source.read import read_source
from burstline_server.source.source import Source
from burstline_server.words.findings import message_text
from tests.assessing import assess

HEAD = "__kernel void k(__global float *restrict x, __global float *restrict y)\n"


def offsets(text: str, **settings: object) -> list[str]:
    """The byte offsets of a text's accesses."""
    return [str(a.offset) for k in assess(text, **settings).kernels for a in k.facts.accesses]


def test_a_name_that_nobody_defines_is_a_constant_and_reported_once() -> None:
    text = HEAD + "{ int i = get_global_id(0); y[i * WIDTH] = x[i + WIDTH]; }\n" + HEAD.replace("k(", "l(")
    text += "{ y[WIDTH] = 0; }\n"
    assessment = assess(text)
    reported = [f for f in findings_of(assessment) if f.code == "BL302"]
    assert [message_text(f) for f in reported] == [
        "WIDTH is undefined here and counts as an unknown constant (give it with -D WIDTH=…)"
    ]
    assert text.encode()[reported[0].span.start : reported[0].span.end] == b"WIDTH"
    assert offsets(text) == ["4·WIDTH + 4·gid0", "4·WIDTH·gid0", "4·WIDTH"]
    assert offsets(text, defines={"WIDTH": 8}) == ["4·gid0 + 32", "32·gid0", "32"]


def test_a_half_typed_name_that_decides_nothing_is_not_reported() -> None:
    assert [f for f in findings_of(assess(HEAD + "{ fo; y[0] = x[1]; }")) if f.code == "BL302"] == []


def test_the_languages_own_constants_are_not_reported() -> None:
    text = HEAD + "{ int i = get_global_id(0); if (x[i] < FLT_MAX && x[i] != INFINITY) y[i] = M_PI_F; }"
    assert [f for f in findings_of(assess(text)) if f.code == "BL302"] == []


def test_a_trip_count_waits_for_the_undefined_name() -> None:
    text = HEAD + "{ for (int i = 0; i < COUNT; i++) y[i] = x[i]; }"
    assert assess(text).kernels[0].estimate.time_s is None
    assert assess(text, arguments={"COUNT": 100}).kernels[0].launch.arguments == {"COUNT": 100}
    given, defined = (assess(text, **{where: {"COUNT": 100}}) for where in ("arguments", "defines"))
    assert given.kernels[0].estimate.time_s == defined.kernels[0].estimate.time_s is not None


def test_includes_are_found_in_folders_above_and_by_a_macro_of_the_build(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "kernels"
    folder.mkdir(parents=True)
    (tmp_path / "outside.h").write_text("#define FAR 1\n")
    (tmp_path / "project" / "main.h").write_text("#define NEAR 2\n")
    (folder / "sizes.h").write_text("#define SIZE 4\n")
    path = folder / "k.cl"
    text = (
        '#include "./main.h"\n#include PATH_OF(DIR/sizes.h)\n#include "outside.h"\n' + HEAD + "{ y[NEAR * SIZE] = 0; }"
    )
    path.write_text(text)
    assessment = Assessor(workspace=[tmp_path / "project"]).assess(text, str(path), [])
    assert [str(a.offset) for a in assessment.kernels[0].facts.accesses] == ["32"]
    assert [message_text(f) for f in findings_of(assessment) if f.code == "BL302"] == [
        'include "outside.h" not found: what it declares is unknown'
    ]


@pytest.mark.parametrize(("board", "offset"), [("p385a", "4"), ("de10_nano", "8")])
def test_the_board_is_named_as_the_compiler_names_it(board: str, offset: str) -> None:
    text = "#ifdef AOCL_BOARD_p385a_sch_ax115\n#define AT 1\n#else\n#define AT 2\n#endif\n" + HEAD + "{ y[AT] = 0; }"
    assert offsets(text, board=board) == [offset]


def test_an_access_in_a_macro_links_to_the_definition(tmp_path: Path) -> None:
    header, path = tmp_path / "ops.h", tmp_path / "k.cl"
    header.write_text("\n\n#define COPY(i) y[i] = x[i]\n")
    text = (
        '#include "ops.h"\n#define TWICE(v) (2 * (v))\n'
        + HEAD
        + "{\n  COPY(get_global_id(0));\n  y[3] = TWICE(x[5]);\n}\n"
    )
    path.write_text(text)
    assessment = Assessor().assess(text, str(path), [Layer("file", {})])
    (kernel,) = assessment.kernels
    load, store, own, _ = kernel.facts.accesses
    line = text.splitlines()[4]
    for access in (load, store):
        assert text.encode()[access.span.start : access.span.end].decode() == line.strip().rstrip(";")
        shown = markdown(access_card(assessment, kernel, access))
        assert f"[COPY, defined in line 3]({header.as_uri()}#L3)" in shown
        assert f"COPY, defined in line 3 ({header}:3)" in plain(access_card(assessment, kernel, access))
    # What the user wrote as an argument stays where it was written, and is no macro's.
    assert text.encode()[own.span.start : own.span.end] == b"x[5]"
    assert own.macro is None


def test_an_include_is_found_in_a_folder_next_to_the_file_that_alone_has_it(tmp_path: Path) -> None:
    for folder in ("clock", "sort"):
        (tmp_path / folder).mkdir()
    (tmp_path / "clock" / "clock.h").write_text("#define STEP 4\n")
    text = "#include <clock.h>\nint step = STEP;\n"
    path = tmp_path / "kernel.cl"

    def read() -> Source:
        return read_source(text, str(path), {}, [], [tmp_path])

    assert b"int step = 4;" in read().text
    (tmp_path / "sort" / "clock.h").write_text("#define STEP 8\n")
    assert [remark.kind for remark in read().remarks] == ["not_found"]
