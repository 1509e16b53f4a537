"""The tree of a section after an edit is the one that a fresh reading makes of its text."""

from __future__ import annotations

import pytest

from burstline_server.source import sections
from burstline_server.source.edit import Edit
from burstline_server.source.sections import SectionTree, section_tree

BEFORE = b"int before;\n"
TEXT = b"""void scaled(float *a, const float *b, int n)
{
    // each of them
    for (int i = 0; i < n; i++) {
        a[i] = (b[i]) - 2.0f * b[n - i] + (float)n;
    }
}"""


def nodes(tree: SectionTree) -> list[tuple[object, ...]]:
    """Every node, from the root on."""
    found, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        found.append((node.type, node.start_byte, node.end_byte, node.is_missing, node.is_extra))
        waiting += node.children
    return found


@pytest.mark.parametrize("at", [b" each", b"\n    //", b"n; i", b"[i]) -", b"2.0f", b"(float)", b"}\n}", b"void"])
@pytest.mark.parametrize("new", [b"", b" ", b"1", b"x", b"/* on */", b"// on\n", b"(", b"}", b"*", b"{ ; }", b"'"])
@pytest.mark.parametrize("gone", [0, 1, 4])
def test_a_tree_follows_an_edit(at: bytes, new: bytes, gone: int) -> None:
    whole, start = BEFORE + TEXT + BEFORE, len(BEFORE)
    place = whole.index(at)
    edit = Edit(place, place + gone, place + len(new))
    written = whole[: edit.start] + new + whole[edit.old_end :]
    before = section_tree(whole, start, start + len(TEXT))
    stop = start + len(TEXT) + edit.by
    again, fresh = section_tree(written, start, stop, before), section_tree(written, start, stop)
    assert nodes(again) == nodes(fresh)
    assert again.text == fresh.text


@pytest.mark.parametrize(("now", "parses"), [(b"2.5f", 1), (b"2.5f +/* on */ 1", 1), (b"2.5f * (", 2)])
def test_a_tree_is_made_anew_where_there_are_errors(now: bytes, parses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before, written = section_tree(TEXT, 0, len(TEXT)), TEXT.replace(b"2.0f", now)
    asked: list[object] = []
    first = sections._parsed_range
    monkeypatch.setattr(sections, "_parsed_range", lambda *given: asked.append(given[3:]) or first(*given))
    section_tree(written, 0, len(written), before)
    assert asked[0] == (before,)
    assert len(asked) == parses
