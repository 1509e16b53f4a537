"""What the words of a text are explained as, and that what is explained is also costed."""

import pytest

from burstline_server.analysis.builtins import find_builtin
from burstline_server.language.vocabulary import entries
from burstline_server.names.name_table import names_of
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.meanings import meaning_at
from burstline_server.source.read import read_source

TEXT = """#pragma OPENCL EXTENSION cl_intel_channels : enable
__attribute__((num_simd_work_items(4)))
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void k(__global float4 *restrict x, constant int *table) {
    #pragma unroll 4
    for (int i = 0; i < 4; i++)
        x[i] = convert_float4_rte(vload4(table[i], table));
    barrier(CLK_LOCAL_MEM_FENCE);
}
"""


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("num_simd_work_items", "Attribute: Runs n neighbouring work-items"),
        ("unroll", "#pragma unroll N"),
        ("OPENCL", "Switches an extension on"),
        ("kernel", "A function that the host launches"),
        ("constant", "behind a cache"),
        ("restrict", "Promises that nothing else reaches"),
        ("float4", "A vector of 4 elements of float"),
        ("convert_float4_rte", "float4 convert_float4_rte(gentype x)"),
        ("vload4", "Loads 4 neighbouring scalars"),
        ("CLK_LOCAL_MEM_FENCE", "Orders accesses to local memory"),
        ("table", "__constant argument"),
        ("i = 0", "int i = 0"),
    ],
)
def test_words(word: str, expected: str) -> None:
    found = meaning_at(names_of(read_source(TEXT)), TEXT.index(word))
    assert found is not None
    assert expected in plain(found[0])
    assert TEXT[found[1].start : found[1].end] == word.split(maxsplit=1)[0]


def test_every_function_on_memory_that_is_explained_is_costed() -> None:
    groups = ("Atomics", "Vectors in memory", "Copies", "Channels (vendor)", "Load/store-unit control (vendor)")
    explained = [e.name for e in entries("function") if e.group in groups]
    unknown = {name for name in explained if find_builtin(name) is None}
    # They move values between registers, not to or from memory.
    assert unknown <= {"shuffle2", "__fpga_reg"}
    assert len(explained) > 40


def test_a_signatures_parameters_are_in_it() -> None:
    for entry in entries("function"):
        assert entry.usage.endswith(")")
        assert f"{entry.name}({', '.join(entry.parameters)})" in entry.usage
        assert entry.text
