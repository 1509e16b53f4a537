"""Kernels whose text shows that they make no access need no reading to know that."""

import pytest

from burstline_server.analysis.kernels import Kernels
from burstline_server.analysis.reuse import SnapshotCache
from burstline_server.source.read import read_source


def seen(text: str) -> tuple[bool, int]:
    """Whether a text shows that its last kernel makes no access, and how many a reading finds."""
    source = read_source(text.encode(), "k.cl", {}, [], [])
    shown = Kernels(SnapshotCache()).of(source, accessing=True)[-1].snapshot.unread
    return shown, len(Kernels(SnapshotCache()).of(source)[-1].facts.accesses)


@pytest.mark.parametrize(
    "text",
    [
        "channel int a; channel int b;\n__kernel void k(int n) { for (int i = 0; i < n; i++) "
        "write_channel_intel(b, read_channel_intel(a) * n); }",
        "channel float a;\n__kernel void k(void) { float x = 1.0f; int bits = *(int*)&x; float own[8]; "
        "own[bits & 7] = x; write_channel_intel(a, own[0]); }",
        "typedef struct { int x; float y; } pair;\nchannel pair a;\nint twice(int v) { return v * 2; }\n"
        "__kernel void k(int n) { pair p = read_channel_intel(a); p.x = twice(p.x); write_channel_intel(a, p); }",
        "__constant int table[2] = {1, 2};\nchannel int a;\n__kernel void k(int n) { write_channel_intel(a, n); }",
    ],
)
def test_no_pointer_leads_anywhere(text: str) -> None:
    assert seen(text) == (True, 0)


@pytest.mark.parametrize(
    "text",
    [
        "__kernel void k(__global int *x) { x[0] = 1; }",
        "__kernel void k(int n) { __local int own[64]; own[n] = 1; barrier(1); own[n + 1] = own[n]; }",
        "__kernel void k(int n) { local int own[64]; own[n] = 1; }",
        'channel int a;\n__kernel void k(int n) { printf("%d", n); write_channel_intel(a, n); }',
        "__constant int table[4] = {1, 2, 3, 4};\nchannel int a;\n"
        "__kernel void k(int n) { write_channel_intel(a, table[n]); }",
        "__constant int table[4] = {1, 2, 3, 4};\nchannel int a;\nint at(int n) { return table[n]; }\n"
        "__kernel void k(int n) { write_channel_intel(a, at(n)); }",
        "typedef struct { __global int *at; } where;\nchannel where a;\n"
        "__kernel void k(int n) { where w = read_channel_intel(a); w.at[n] = 1; }",
        "typedef __global int *place;\n__kernel void k(place x) { x[0] = 1; }",
        "channel long a;\n__kernel void k(int n) { global int *x = (__global int *)read_channel_intel(a); x[n] = 1; }",
        "__kernel void k(__global int x[]) { x[0] = 1; }",
    ],
)
def test_what_may_lead_to_memory_is_read(text: str) -> None:
    shown, _ = seen(text)
    assert not shown
