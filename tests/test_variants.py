"""Chosen variants as edits: the edited text, read anew, is the variant."""

import pytest

from burstline_server.exploration.variant_edits import Choice, NoSuchEditError, edits_for
from burstline_server.rewrites.rewrite import TextEdit
from tests.assessing import assess

PLAIN = """// doubles
__kernel void twice(__global const float *restrict x, __global float *restrict y, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 64; k++)
        y[i * 64 + k] = 2.0f * x[i * 64 + k]; // kept
}
"""
DRESSED = """#define TILE 16 // a knob
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(2)))
__kernel
void twice(__global const float *restrict x, __global float *restrict y, int n)
{
    int i = get_global_id(0);
    #pragma unroll 4
    for (int k = 0; k < TILE; k++)
        y[i * TILE + k] = 2.0f * x[i * TILE + k];
}
"""


def applied(text: str, edits: tuple[TextEdit, ...]) -> str:
    data = text.encode()
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def made(text: str, choice: Choice) -> str:
    done = assess(text)
    return applied(text, edits_for(done, done.kernels[0], choice))


@pytest.mark.parametrize("text", [PLAIN, DRESSED, DRESSED.replace("\n", "\r\n")], ids=["plain", "dressed", "windows"])
def test_the_edited_text_reads_as_the_variant(text: str) -> None:
    choice = Choice(simd=4, compute_units=3, unroll={0: 8}, local_size=(128,))
    after = made(text, choice)
    facts = assess(after).kernels[0].facts
    assert (facts.simd, facts.compute_units, facts.loops[0].unroll) == (4, 3, 8)
    assert facts.work_group_size == (128, 1, 1)
    assert ("\r\n" in after) == ("\r\n" in text)
    assert after.count("num_simd_work_items") == after.count("#pragma unroll") == 1
    assert made(after, choice) == after
    assert assess(made(after, Choice(unroll={0: 0}))).kernels[0].facts.loops[0].unroll == 0


def test_a_macro_of_the_file_gets_its_value_and_keeps_the_line_ends() -> None:
    after = made(DRESSED.replace("\n", "\r\n"), Choice(defines={"TILE": "32"}))
    assert after.startswith("#define TILE 32 // a knob\r\n")
    assert assess(after).kernels[0].estimate.loops[0].trip == 32


def test_what_is_already_there_is_not_edited() -> None:
    done = assess(DRESSED)
    assert edits_for(done, done.kernels[0], Choice(simd=2, compute_units=1, unroll={0: 4}, local_size=(64,))) == ()


@pytest.mark.parametrize(
    ("choice", "word"),
    [(Choice(simd=4), "--local-size"), (Choice(defines={"WIDE": "4"}), "-D WIDE=4")],
)
def test_what_no_edit_can_make_is_refused_with_the_way_out(choice: Choice, word: str) -> None:
    with pytest.raises(NoSuchEditError, match=word):
        made(PLAIN, choice)


def test_a_macro_of_several_branches_gets_its_value_in_each() -> None:
    text = f"#ifdef WIDE\n#define LEN 8 /* wide */\n#else\n#define LEN 4\n#endif\n{PLAIN.replace('k < 64', 'k < LEN')}"
    after = made(text, Choice(defines={"LEN": "32"}))
    assert after.count("#define LEN 32") == 2
    assert "#define LEN 32 /* wide */" in after
    assert assess(after).kernels[0].estimate.loops[0].trip == 32
