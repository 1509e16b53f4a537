"""What a loop counts at places that data choose, counted on the chip: offered, refused, and the same results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.runtime import runtime

KINDS = {"private_histogram", "local_histogram", "local_histogram_groups", "histogram_on_chip"}
HEAD = (
    "__kernel void h(__global const uchar *restrict u, __global const int *restrict d,\n"
    "                __global const uint *restrict w, __global {t} *restrict hist, const int n, const uint m)\n"
)
BODY = """{
    for (int i = 0; i < n; i++)
        hist[u[i]]++; // one more
}
"""
COUNT = HEAD.format(t="uint") + BODY
WEIGHTED = (
    HEAD.format(t="int")
    + """{
    for (int r = 0; r < 3; r++) {
        #pragma unroll 1
        for (int i = 0; i < n; i++) {
            int at;
            at = w[i] >> 26;
            if (d[i] < 7)
                continue;
            hist[at] += d[i] * r;
            hist[63 - at] -= u[i];
        }
    }
}
"""
)
SMALL = HEAD.format(t="uchar") + BODY.replace("hist[u[i]]++;", "{ const uint at = w[i] % 24u; hist[at] += d[i]; }")
LOADED = HEAD.format(t="int") + BODY.replace("hist[u[i]]++;", "hist[u[i]] = max(hist[u[i]], d[i]);")
REALS = (
    HEAD.format(t="float")
    + """{
    for (int k = 0; k < 256; k++)
        hist[k] = 0.5f;
    for (int i = 0; i < n; i++)
        hist[d[i] & 0xff] += 0.1f * d[i];
}
"""
)
GROUP = "__attribute__((reqd_work_group_size({})))\n"
ITEMS = (
    GROUP.format("64, 1, 1")
    + HEAD.format(t="uint")
    + """{
    const int i = get_global_id(0);
    if (i >= n)
        return; // no more
    uint at = w[i];

    /* counted
       once */
    if (d[i] > 3) {
        atomic_add(&hist[at >> 28], d[i]);
    }
    atomic_inc(hist + (u[i] & 15)); // again
}
"""
)
STRIDED = (
    GROUP.format("16, 4, 1")
    + HEAD.format(t="int")
    + """{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_sub(&hist[u[i]], d[i]);
}
"""
)
TWO = ITEMS.replace("    uint at", "    if (d[i] == 7) { return; }\n    uint at").replace("64, 1, 1", "16, 1, 1")
PLANE = (
    HEAD.format(t="unsigned int").replace("restrict hist", "hist")
    + """{
    int x = get_global_id(0), y = get_global_id(1);
    unsigned int low = u[y * 64 + x] + 256;

    if (x < n && y < n) {
        atomic_inc(&hist[low]);
        atomic_sub(&hist[d[x] & 7], y);
    }
}
"""
)
CASES = {
    "plane": PLANE,
    "count": COUNT,
    "weighted": WEIGHTED,
    "small": SMALL,
    "loaded": LOADED,
    "reals": REALS,
    "items": ITEMS,
    "strided": STRIDED,
    "two": TWO,
}


@once
def assessed(text: str) -> Any:
    sizes = {"arguments": {"n": 4096, "m": 9}, "global_size": [4096]}
    layers = [Layer("file", {"aoc_version": "18.1", **sizes})]
    return Assessor().assess(text, "k.cl", layers), layers


@once
def offers(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)[0]) if o.title.kind in KINDS]


def applied(text: str) -> str:
    (offer,) = offers(text)
    return offer.applied(text.encode()).decode()


def reasons(text: str) -> list[str]:
    return [obstacle_text(r.reason) for r in refusals_of(assessed(text)[0]) if r.title.kind in KINDS]


def test_edit_reads_like_the_file() -> None:
    after = applied(COUNT)
    assert after == HEAD.format(t="uint") + (
        """{
    uint hist_copy[256];
    for (int k = 0; k < 256; k++)
        hist_copy[k] = 0;
    for (int i = 0; i < n; i++)
        hist_copy[u[i]]++; // one more
    for (int k = 0; k < 256; k++)
        if (hist_copy[k])
            hist[k] += hist_copy[k];
}
"""
    )
    assert offers(after) == []
    assert applied(COUNT.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    weighted = applied(WEIGHTED).splitlines()
    assert weighted.index("    int hist_copy[64];") < weighted.index("    for (int r = 0; r < 3; r++) {")
    assert "            hist_copy[63 - at] -= u[i];" in weighted
    assert "        hist_copy[k] = hist[k];" in applied(LOADED).splitlines()


@pytest.mark.parametrize(
    ("index", "bins"),
    [
        ("u[i]", 256), ("d[i] & 255", 256), ("d[i] & 0xF0", 241), ("w[i] >> 24", 256), ("w[i] % 64", 64),
        ("(d[i] >> 3) & 7", 8), ("(uchar)d[i]", 256), ("min(w[i], 99u)", 100), ("clamp(d[i], 0, 77)", 78),
        ("(d[i] & 15) * 16 + (d[i + 1] & 15)", 256), ("u[i] * 4 + 3", 1024), ("d[i] > 3", 2), ("u[i] / 2", 128),
        ("u[i] < 9 ? u[i] & 3 : 9", 10), ("u[i] | 256", 512), ("convert_uchar_sat(d[i])", 256), ("d[i] % 16u", 16),
        ("(int)u[i] - 0", 256), ("BIN(d[i])", 32),
        ("w[i]", 0), ("d[i] % 64", 0), ("d[i] & 65535", 0), ("(w[i] >> 3) % m", 0), ("u[i] - 1", 0), ("i & m", 0),
        ("w[i] * 3 >> 20", 4096), ("(uchar)u[i] * w[i] >> 24", 256), ("(char)d[i]", 0), ("-u[i] & 3", 4),
        ("u[i] << 24 >> 24", 0), ("(d[i] - 5) % 8u", 8), ("(uint)(d[i] % 8) & 15u", 16), ("clamp(d[i], 0, n)", 0),
    ],
)  # fmt: skip
def test_the_text_bounds_the_bins(index: str, bins: int) -> None:
    text = "#define BIN(x) (((x) >> 2) & 31)\n" + COUNT.replace("u[i]", index)
    found = offers(text)
    assert [o.title.kind for o in found] == ["private_histogram"] * (bins > 0)
    if found:
        assert f"uint hist_copy[{bins}];" in applied(text)
    else:
        assert any("bounds the index" in one for one in reasons(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (COUNT.replace("hist[u[i]]++", "{ int at = u[i]; at += d[i]; hist[at]++; }"), "bounds the index"),
        (COUNT.replace("hist[u[i]]++", "{ int at = u[i]; int *p = &at; *p = d[i]; hist[at]++; }"), "bounds the index"),
        (COUNT.replace("__global uint", "__global volatile uint"), "plain global memory"),
        (COUNT.replace("hist[u[i]]++", "{ if (d[i] > 7) return; hist[u[i]]++; }"), "goto"),
        (COUNT.replace("hist[u[i]]++", "{ hist[u[i]]++; hist[i + 300]++; }"), "bounds the index"),
        (COUNT.replace("hist[u[i]]++", "{ hist[u[i]]++; __global uint *p = hist; p++; p[d[i] & 3]++; }"), ""),
        (COUNT.replace("hist[u[i]]++;", "hist[u[i]]++\n#ifdef TWICE\n + hist[3]\n#endif\n;"), "macro"),
        ("void up(__global uint *p) { *p += 1; }\n" + COUNT.replace("hist[u[i]]++", "up(&hist[u[i]])"), "helper"),
        (ITEMS.replace("i >= n", "i >= n && hist[0] > 7"), "uses hist in another way"),
        (ITEMS.replace("    atomic_inc", "    if (atomic_inc(hist) > 7) hist[0] = 0;\n    atomic_inc"), "another way"),
        (ITEMS.replace("    atomic_inc", "    at = atomic_inc(hist);\n    atomic_inc"), "its result is used"),
        (ITEMS.replace(">> 28", ">> 3"), "bounds the index"),
        (ITEMS.partition("\n")[2].replace("d[i] > 3", "d[i] > get_global_id(2)"), "no one size"),
        (
            ITEMS.replace("{\n        atomic_add", "{\n        if (u[i])\n            return;\n        atomic_add"),
            "all work-items must reach",
        ),
        (ITEMS.replace("    uint at", "    __local int t[4];\n    t[i & 3] = 1;\n    uint at"), "behind a return"),
        (ITEMS.replace("atomic_inc(", "atomic_xchg(").replace("15))", "15), 3)"), "result is used, or its operation"),
        (ITEMS.replace("    uint at", "#ifdef FAR\n    if (i > 9) return;\n#endif\n    uint at"), "preprocessor"),
        ("#define UP(b) hist[b]++\n" + COUNT.replace("hist[u[i]]++", "UP(u[i])"), "macro"),
    ],
)
def test_refused_with_the_reason(text: str, why: str) -> None:
    assert offers(text) == []
    assert [one for one in reasons(text) if why in one]


@pytest.mark.parametrize(
    ("text", "asserts"),
    [
        (COUNT, []),
        (REALS, []),
        (LOADED, ["hist holds 256 elements"]),
        (REALS.replace("k < 256", "k < 255"), ["hist holds 256 elements"]),
        (COUNT.replace("++;", " += d[i] * 0.5f;"), ["hist holds 256 elements"]),
        (COUNT.replace("restrict ", ""), ["hist does not overlap u"]),
    ],
)
def test_what_the_text_does_not_show_is_the_users_word(text: str, asserts: list[str]) -> None:
    (offer,) = offers(text)
    assert offer.kind == ("assertion" if asserts else "proved")
    assert [one for one in asserts if one not in title_text(offer.title)] == []


def test_each_group_counts_by_itself_and_all_items_reach_the_barriers() -> None:
    head, _, _ = ITEMS.partition("{\n")
    assert applied(ITEMS) == head + (
        """{
    __local uint hist_copy[16];
    if (get_local_id(0) < 16)
        hist_copy[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = get_global_id(0);
    if (!(i >= n)) { // no more
        uint at = w[i];

        /* counted
           once */
        if (d[i] > 3) {
            atomic_add(&hist_copy[at >> 28], d[i]);
        }
        atomic_inc(hist_copy + (u[i] & 15)); // again
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16 && hist_copy[get_local_id(0)])
        atomic_add(&hist[get_local_id(0)], hist_copy[get_local_id(0)]);
}
"""
    )
    assert applied(ITEMS.replace("\n", "\r\n")) == applied(ITEMS).replace("\n", "\r\n")
    strided = applied(STRIDED).splitlines()
    assert "    const int item = get_local_id(0) + 16 * get_local_id(1);" in strided
    assert "    for (int k = item; k < 256; k += 64)" in strided
    assert applied(TWO).count("        }\n    }\n    barrier") == 1


@pytest.mark.parametrize("name", [name for name in CASES if name not in {"items", "strided", "two", "plane"}])
def test_the_loop_waits_for_memory_no_more(name: str) -> None:
    assessment, layers = assessed(CASES[name])
    (offer,) = offers(CASES[name])
    fix = tried(Assessor(), assessment, layers, offer)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert (fix.speedup or 0) > 5


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [0, 1, 17, 1000])
def test_edited_kernels_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")
    text = CASES[name]
    type_ = next((t for t in ("uchar", "uint", "int", "float") if f"__global {t} *restrict hist" in text), "uint")
    kinds = {"uchar": np.uint8, "uint": np.uint32, "int": np.int32, "float": np.float32}
    rng = np.random.default_rng(n)
    data = [rng.integers(0, 2**31, 4096).astype(t) for t in (np.uint8, np.int32, np.uint32)]
    data[1] -= 2**30
    hist = rng.integers(0, 250, 4096).astype(kinds[type_])

    def run(source: str) -> Any:
        (kernel,) = cl.Program(context, source).build(options=["-w"]).all_kernels()
        flags = cl.mem_flags
        given = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=one) for one in data]
        out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=hist)
        items = 1024 if "get_global_id" in source else 1
        group = {"items": (64,), "two": (16,), "strided": (16, 4), "plane": (16, 16)}.get(name, (1,))
        kernel(
            queue,
            ((64, 32) if name == "plane" else (items, 8))[: len(group)],
            group,
            *given,
            out,
            np.int32(n),
            np.uint32(9),
        )
        found = np.empty_like(hist)
        cl.enqueue_copy(queue, found, out)
        return found

    assert np.array_equal(run(applied(text)), run(text))


def test_groups_that_gain_get_the_edit() -> None:
    assessment, layers = assessed(ITEMS)
    (offer,) = offers(ITEMS)
    assert offer.kind == "proved"
    fix = tried(Assessor(), assessment, layers, offer)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert (fix.speedup or 0) > 2
    (offer,) = offers(ITEMS.replace("restrict hist", "hist").replace("restrict w", "w"))
    assert title_text(offer.title).endswith("you assert that hist does not overlap w)")


def test_groups_have_the_size_that_the_host_launches(tmp_path: Any) -> None:
    path, text = tmp_path / "k.cl", ITEMS.partition("\n")[2]
    path.write_text(text)
    launch = (
        'void run(cl_program p, cl_command_queue q) { cl_int e; cl_kernel k = clCreateKernel(p, "h", &e);\n'
        "size_t items = 8192, group = 32;\n"
        "clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL);\n{}}}\n"
    )
    for more, said in (
        ("", "work-groups of 32"),
        ("size_t other = 64;\n" + launch.split("\n")[2].replace("group", "other") + "\n", ""),
    ):
        (tmp_path / "host.c").write_text(launch.replace("{}}}", more + "}"))
        found = [o for o in offers_of(Assessor().assess(text, str(path), [])) if o.title.kind in KINDS]
        assert [said in title_text(o.title) for o in found] == [True] * bool(said)


def test_groups_of_no_size_get_one() -> None:
    (offer,) = offers(ITEMS.partition("\n")[2])
    assert offer.kind == "host"
    assert "the host must launch work-groups of 256" in title_text(offer.title)
    (shared,) = offers(ITEMS.partition("\n")[2].replace("restrict ", ""))
    assert shared.kind == "assertion"
    assert "you assert that hist does not overlap" in title_text(shared.title)
    assert shared.host
    after = applied(PLANE)
    assert after.startswith("__attribute__((reqd_work_group_size(16, 16, 1)))\n__kernel")
    assert "    __local uint hist_copy[512];" in after.splitlines()
    layers = [Layer("file", {"global_size": [64, 64], "local_size": [32, 8]})]
    (offer,) = [o for o in offers_of(Assessor().assess(PLANE, "k.cl", layers)) if o.title.kind in KINDS]
    assert "work-groups of 32×8" in title_text(offer.title)
