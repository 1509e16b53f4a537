"""Dimensions 0 and 1 exchanged: the text, the launch, what is refused, and that it computes the same."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

HEAD = "__kernel void k(__global const int *restrict a, __global int *restrict b, const int m)\n"
PLAIN = (
    HEAD
    + """{
    int x = get_global_id(0), y = get_global_id(1);
    b[x * m + y] = a[x * m + y] * 3;
}
"""
)
ODD = """// burstline: global_size=(512, 2048) m=2048 local_size=(2,64)
#define ROW 0
__attribute__((reqd_work_group_size( 2 , 64, 1 )))
__kernel void
k(__global const int *restrict a, __global int *restrict b, const int m)
{
  const size_t r = get_global_id( ROW ) /* the row */, c = get_global_id(1u);
  if (r >= get_global_size(0) || c >= m)
    return;
  b[r*m + c] = a[r*m + c] + (int)get_global_size(1) + (int)get_work_dim();
}
"""
GROUPED = PLAIN.replace("* 3", "+ n").replace(
    "int x", "int n = get_group_id(0) * 100 + get_local_id(1) + get_local_size(0) * get_num_groups(1); int x"
)
TILED = (
    HEAD
    + """{
    int x = get_global_id(0), y = get_global_id(1), r = get_local_id(0), c = get_local_id(1);
    __local int tile[8][16];
    tile[r][c] = a[x * m + y];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[x * m + y] = tile[get_local_size(0) - 1 - r][c] + tile[r][get_local_size(1) - 1 - c];
}
"""
)


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind for a text."""
    found = offers_of(Assessor().assess(text, "k.cl", []))
    return [o for o in found if o.title.kind.startswith("exchange_ids")]


def after(text: str) -> str:
    """The text after the edit."""
    (offer,) = offered(text)
    assert offer.kind == "host"
    return offer.applied(text.encode()).decode()


def test_each_question_the_group_and_the_comment_change_places() -> None:
    assert "int x = get_global_id(1), y = get_global_id(0);\n    b[x * m + y] = a[x * m + y] * 3;" in after(PLAIN)
    assert (
        after(ODD)
        == """// burstline: global_size=(2048,512) m=2048 local_size=(64,2)
#define ROW 0
__attribute__((reqd_work_group_size( 64 , 2, 1 )))
__kernel void
k(__global const int *restrict a, __global int *restrict b, const int m)
{
  const size_t r = get_global_id( 1 ) /* the row */, c = get_global_id(0);
  if (r >= get_global_size(1) || c >= m)
    return;
  b[r*m + c] = a[r*m + c] + (int)get_global_size(0) + (int)get_work_dim();
}
"""
    )
    (offer,) = offered(ODD)
    assert "size_t global_size[] = {2048, 512};\nsize_t local_size[] = {64, 2};" in offer.host
    assert after(ODD.replace("\n", "\r\n")) == after(ODD).replace("\n", "\r\n")


def test_groups_keep_what_they_share() -> None:
    """A tile of rows of which dimension 0 is the row is filled along its columns: all ids change places."""
    assert (
        after(TILED)
        == HEAD
        + """{
    int x = get_global_id(1), y = get_global_id(0), r = get_local_id(1), c = get_local_id(0);
    __local int tile[8][16];
    tile[r][c] = a[x * m + y];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[x * m + y] = tile[get_local_size(1) - 1 - r][c] + tile[r][get_local_size(0) - 1 - c];
}
"""
    )
    assessor = Assessor()
    layers = [Layer("option", {"global_size": (1024, 1024), "local_size": (8, 16), "arguments": {"m": 1024}})]
    assessment = assessor.assess(TILED, "k.cl", layers)
    chosen = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind.startswith("exchange_ids"))
    (fix,) = chosen
    assert fix.speedup is not None
    assert fix.speedup > 2
    title = fix_title(fix)
    assert title.startswith("Swap get_global_id(0) and get_global_id(1), and the other ids and sizes alike: kernel ")
    assert "needs a host change: its global and local sizes change places" in title


@pytest.mark.parametrize("text", [PLAIN, ODD, TILED])
def test_it_is_not_offered_again(text: str) -> None:
    assert offered(after(text)) == []


@pytest.mark.parametrize("settings", [{"global_size": (256, 1024), "arguments": {"m": 1024}}, {}])
def test_priced_with_the_launch_that_the_host_makes(settings: dict[str, object]) -> None:
    assessor, layers = Assessor(), [Layer("option", settings)]
    assessment = assessor.assess(PLAIN, "k.cl", layers)
    (fix,) = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind == "exchange_ids")
    assert fix.speedup is not None
    assert fix.speedup > 2
    assert isinstance(fix.execution, Equal)
    assert fix_title(fix).startswith("Swap get_global_id(0) and get_global_id(1): kernel ")
    assert "needs a host change: its global and local sizes change places" in fix_title(fix)
    layers = [Layer("option", {**settings, **({"global_size": (1024, 256)} if settings else {})})]
    (other,) = assessor.assess(after(PLAIN), "k.cl", layers).kernels
    time_s = other.estimate.time_s if settings else other.estimate.time_item_s
    assert fix.gain is not None
    assert time_s == pytest.approx(fix.gain.after_s)


def test_a_tile_computes_the_same_on_a_real_runtime() -> None:
    np = pytest.importorskip("numpy")
    arrays = {name: np.arange(64 * 128, dtype=np.int32) * 7 % 1013 for name in "ab"}
    text = TILED.replace("__kernel", "__attribute__((reqd_work_group_size(8, 16, 1)))\n__kernel")
    data = [Data(arrays, {"m": np.int32(128)}, items) for items in ((8, 128), (64, 64))]
    found = [one for one in tried(text, data) if one.offer.title.kind.startswith("exchange_ids")]
    assert [(one.unequal, one.why) for one in found] == [(None, "")]


@pytest.mark.parametrize("text", [PLAIN, ODD])
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(7)
    arrays = {name: rng.integers(-9, 99, 8 * 130).astype(np.int32) for name in "ab"}
    text = text.replace("size( 2 , 64, 1 )", "size(2, 64, 1)")
    data = [Data(arrays, {"m": np.int32(m)}, items) for m, items in ((128, (8, 128)), (64, (2, 64)), (130, (4, 64)))]
    found = [one for one in tried(text, data) if one.offer.title.kind == "exchange_ids"]
    assert [(one.unequal, one.why) for one in found] == [(None, "")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PLAIN.replace("* 3", "* get_local_id(m > 0)"), "names no dimension by its number"),
        ("int row(void) { return get_global_id(0); }\n" + PLAIN.replace("x = get_global_id(0)", "x = row()"),
         "row() asks get_global_id"),
        ("#define COL get_global_id(1)\n" + PLAIN.replace("y = get_global_id(1)", "y = COL"), "a macro"),
        (PLAIN.replace("    b[", "#ifdef CLEAR\n    b[get_global_id(0)] = 0;\n#endif\n    b["), "conditions"),
        (PLAIN.replace("* 3", "* get_sub_group_id()"), "counts work-items over all dimensions"),
        ("#define GROUP __attribute__((reqd_work_group_size(2, 64, 1)))\nGROUP\n" + PLAIN, "a macro"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert offered(text) == []
    refusals = [r for r in refusals_of(Assessor().assess(text, "k.cl", [])) if r.title.kind == "exchange_ids"]
    assert [obstacle_text(r.reason) for r in refusals if reason in obstacle_text(r.reason)], refusals


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("* 3", "* get_global_linear_id()"),
        PLAIN.replace("* 3", "+ a[y * m + x]"),
        PLAIN.replace("x * m + y", "y * m + x"),
        PLAIN.replace("__kernel", "__attribute__((reqd_work_group_size(64, 1, 1)))\n__kernel"),
    ],
)
def test_not_suggested_where_an_access_or_a_value_would_lose(text: str) -> None:
    found = Assessor().assess(text, "k.cl", [])
    assert offered(text) == []
    assert not [r for r in refusals_of(found) if r.title.kind == "exchange_ids"]


def test_other_kernels_keep_their_comments() -> None:
    both = "// burstline: global_size=(512,1024)\n\n" + PLAIN + PLAIN.replace("void k(", "void other(")
    assert all("global_size=(512,1024)" in o.applied(both.encode()).decode() for o in offered(both))
    own = both.replace("\n\n__kernel", "\n__kernel", 1)
    first, second = offered(own)
    assert "global_size=(1024,512)" in first.applied(own.encode()).decode()
    assert "global_size=(512,1024)" in second.applied(own.encode()).decode()


def test_all_questions_about_groups_are_exchanged() -> None:
    text = after(GROUPED)
    assert "get_group_id(1) * 100 + get_local_id(0) + get_local_size(1) * get_num_groups(0)" in text
