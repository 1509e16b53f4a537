"""Kernels that are legal and hard to rewrite, drawn from a seed: their forms, and the data to launch them with.

Loops with odd heads, several of them, counters of every type, values set through addresses, chains of helpers,
aliased buffers, sums by atomics, work-items that ask for the launch's size.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.rewrites.awkward_arguments import fixed
from tests.rewrites.awkward_bins import bins
from tests.rewrites.awkward_blocks import blocks
from tests.rewrites.awkward_counters import counters
from tests.rewrites.awkward_grammar import grammatical
from tests.rewrites.awkward_lanes import lanes
from tests.rewrites.awkward_lines import in_lines
from tests.rewrites.awkward_loops import LONG, followers, jams, places, stencils
from tests.rewrites.awkward_narrow import narrowed
from tests.rewrites.awkward_planes import around
from tests.rewrites.awkward_pointers import POINTER_HELPERS, pointers
from tests.rewrites.awkward_rare import PLACE, RARE, spoiled
from tests.rewrites.awkward_taps import taps
from tests.rewrites.awkward_terms import terms
from tests.rewrites.equality import Data

SIZE = 96
"""Elements of each buffer; indexes stay inside for the sizes that kernels are launched with."""
MARGIN = 16
MOST_ITEMS = 512
"""Work-items of the largest launch: two of the groups that edits ask for."""
PLAIN = 0.75
"""Share of loops with one statement that edits are made for."""
FIXED_ONES, PLACES, PAIRS, STENCILS, JAMS, AROUND = 9, 10, 2, 8, 14, 1
"""Of sixteen seeds: those of loops that end at arguments which a comment gives, of places that loops do not move, of
loops that follow each other, of neighbours in a plane, of outer loops whose iterations load the same, and of work-items
that read neighbours of theirs."""
TERMS, POINTERS, TAPS, COUNTERS, BINS, LANES = 16, 26, 0, 28, 24, 18
"""Of thirty-two seeds: the one of variables that take several factors in, that of pointers to several places, that of
loops that walk along a row, that of places that counters choose, that of arrays on the chip that data choose
elements of, and that of lanes of vectors."""
BLOCKS, OWN_BLOCKS = 20, 19
"""Of thirty-two seeds: the one of rows that an iteration uses again and again, and that where a work-item does."""
PLANES, NESTS, WALKS = 5, 6, 4
"""Of eight seeds: the one of work-items in two dimensions, that of two loops that may be interchanged, and that of rows
that a group of work-items walks through."""
ROW = 32
"""Elements of a row of such a plane, and work-items along it: two of the groups that edits ask for."""
BLOCK, GRAMMATICAL = 32, 3
LENGTHS = (0, 1, 2, 13, 40)
HELPERS = """void bump(int *v, int by) { *v = *v * 3 - by; }
void both(int *v, int *w) { bump(v, 1); *w += *v & 7; }
int mixed(int a, int b) { return a * 2 - b; }
int nested(int a) { return mixed(a, 5) ^ a; }
int second(__global const int *p, int i) { return p[i + 1]; }
"""
ASKING = """int me(void) { return get_global_id(0); }
  int mine(int a) {
    return me() + a;
  }
static int
ours(int a) { return mine(a) - 1; }
"""
ARGUMENTS = ("a", "b", "c")


@dataclass(frozen=True)
class Awkward:
    """A kernel's text and the launches to try it with."""

    text: str
    data: tuple[Data, ...]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.names, self.count = ["v"], 0

    def one(self, *what: str) -> str:
        return self.draw.choice(what)

    def index(self, counter: str) -> str:
        # One further on than the counter, which may begin at -1.
        near = f"{counter} + {self.draw.randint(1, MARGIN - 6)}"
        return self.one(f"{counter} + 1", f"{counter} + 1", near, near,
                        f"({self.names[-1]} & 31)", f"b[{counter} + 1] % 16 + 16",
                        str(self.draw.randint(0, 9)), f"40 - {counter} % 9")  # fmt: skip

    def value(self, counter: str, depth: int = 2) -> str:
        kinds = ["load", "load", "name", "number", "counter"] + (["sum", "sum", "chosen", "call"] if depth else [])
        match self.one(*kinds):
            case "load":
                return f"{self.one('a', 'b', 'c')}[{self.index(counter)}]"
            case "name":
                return self.one(*self.names)
            case "number":
                return self.one("3", "-2", "7", "1u", "100")
            case "counter":
                return counter
            case "sum":
                left, right = self.value(counter, depth - 1), self.value(counter, depth - 1)
                return f"({left} {self.one('+', '-', '^', '*')} {right})"
            case "chosen":
                left, right = self.value(counter, depth - 1), self.value(counter, depth - 1)
                return f"({left} > {self.one('3', 'n')} ? {right} : {self.one(*self.names)})"
            case _:
                return self.one(f"mixed({self.value(counter, 0)}, {self.value(counter, 0)})",
                                f"nested({self.value(counter, 0)})", f"second(b, {counter})",
                                f"max((int)({self.value(counter, 0)}), n)")  # fmt: skip

    def statement(self, counter: str, indent: str, depth: int) -> list[str]:
        kinds = ["store", "store", "store", "again", "set", "declare", "address", "back"] + (
            ["if", "skip"] if depth else []
        )
        target = self.one("c", "c", "a")
        match self.one(*kinds):
            case "store":
                return [f"{indent}{target}[{self.index(counter)}] = {self.value(counter)};"]
            case "again":
                return [f"{indent}{target}[{counter} + 1] {self.one('+=', '-=', '^=')} {self.value(counter)};"]
            case "back":
                far = self.draw.randint(1, 3)
                return [f"{indent}c[{counter} + 4] = c[{counter} + {4 - far}] / 2 + {self.value(counter, 1)};"]
            case "set":
                return [f"{indent}{self.names[0]} {self.one('=', '+=', '^=')} {self.value(counter)};"]
            case "declare":
                self.count += 1
                name = f"w{self.count}"
                line = f"{indent}int {name} = {self.value(counter)};"
                self.names.append(name)
                return [line]
            case "address":
                name = self.one(*self.names)
                return [f"{indent}{self.one(f'bump(&{name}, {self.value(counter, 1)})', f'both(&v, &{name})')};"]
            case "skip":
                return [f"{indent}if ({self.value(counter, 1)} == 5)", f"{indent}    continue;"]
            case _:
                held = list(self.names)
                inside = self.statement(counter, indent + "    ", depth - 1)
                self.names = held
                return [f"{indent}if ({self.value(counter, 1)} > 4) {{", *inside, f"{indent}}}"]

    def head(self, counter: str) -> str:
        type_ = self.one("int", "int", "int", "uint", "long", "short", "size_t")
        whole = "(uint)n" if type_ in {"uint", "size_t"} else "n"
        step = self.one(f"{counter}++", f"++{counter}", f"{counter} += 1")
        up = f"for ({type_} {counter} = {{}}; {counter} < {{}}; {step})"
        return self.one(
            up.format("0", whole), up.format("0", whole), up.format("1", whole), up.format("lead - 1", whole),
            up.format("(int)(lead - 2u) + 1", whole), up.format("v++ & 3", whole), up.format("part", whole),
            f"for (int {counter} = n - 1; {counter} >= 0; {counter}--)",
            f"for (int {counter} = lead + 3; {counter} >= 0; {counter}--)",
            f"for (int {counter} = 0; {counter} != n; {counter}++)",
            f"for (int {counter} = 0; {counter} < n && v != 12345; {counter} += 2)",
            f"for (int {counter} = 0; {counter} < n; {counter}++, v += 3)",
        )  # fmt: skip

    def plain(self, i: str) -> str:
        """A statement that edits are made for, under whatever head."""
        by, more = self.draw.randint(2, 4), self.one("", "", " + v", " + n")
        return self.one(
            f"c[{i} + 4] = c[{i} + 3] / 2 + a[{i} + 1]{more};",
            f"c[{i} + 5] = c[{i} + {5 - by}] / 2 - b[{i} + 1]{more};",
            f"c[{i} + 1] = a[{i} + 1] + a[{i} + 2] - a[{i} + {by + 1}]{more};",
            f"c[{i} + 1] = a[{i} + 1] * 3 + b[{i} + {by}]{more};",
            f"a[{i} + 1] += b[{i} + 1]{more};",
            f"c[{i} + 1] = a[b[{i} + 1] % 40]{more} + b[{i} + 2] % 7;",
            f"c[{i} + 1] = a[{i} % 5 + 1] - a[4 - {i} % 3]{more};",
            f"atomic_{self.one('add', 'sub', 'xor', 'or')}(&c[n + 3], a[{i} + 1]{more});",
            f"atomic_inc(&c[{by}]);",
            f"c[{i} + 1] = a[{i} + 1]; if (b[{i} + 1] > 30) c[{i} + 1] = n{more};",
            f"c[{i} + 1] = b[{i} + {by}] > n ? a[{i} + 1] : b[{i} + 1]{more};",
            f"int t = a[{i} + 1] - b[{i} + 2]; c[{i} + 1] = t * t{more};",
            f"c[{i} + 2] = max(b[{i} + {by}], b[{i} + 1] - 3) << (a[{i} + 2] & 3);",
            f"c[{i} + 1] = mixed(a[{i} + 1], b[{i} + 1]){more};",
            f"c[{self.one('2', 'n + 3', 'lead', 'v & 7')}] {self.one('+=', '^=', '=')} a[{i} + 1]{more};",
            f"c[{by}] = c[{by}] * 3 - {self.one('b', 'c')}[{i} + 6]{more};",
            f"c[a[{i} + 1] & {self.one('7', '63', '(v & 63)', 'n')}] {self.one('+=', '-=', '^=')} b[{i} + 1]{more};",
            f"c[(uint)a[{i} + 1] % {self.one('9', '64u')}]++; c[b[{i} + 1] & 31] += {i}{more};",
            f"int t = b[{i} + 1] & 31; c[t + {by}] = max(c[t], a[{i} + 1]){more};",
            f"for (int r = {i}; r < {self.one('n', '4', 'n - 2')}; r++) c[{i} + 1] += a[r + 1] * 2{more};",
            f"if (a[{i} + 1] > n) continue; p *= (b[{i} + 1] | 1){more};",
            f"p = p * a[{i} + 1]; p = (int)({by} + a[{i} + 2]) * p;",
        )

    def loop(self, indent: str, depth: int) -> list[str]:
        counter = f"i{depth}"
        held = list(self.names)
        if self.draw.random() < PLAIN:
            return [f"{indent}{self.head(counter)} {{", f"{indent}    {self.plain(counter)}", f"{indent}}}"]
        body = [line for _ in range(self.draw.randint(1, 3)) for line in self.statement(counter, indent + "    ", 1)]
        if depth and self.draw.random() < 0.3:
            body = [f"{indent}    for (int t = 0; t < 3; t++) {{", *(f"    {line}" for line in body), f"{indent}    }}"]
            body = [line.replace("continue", "break") for line in body]
        if self.draw.random() < 0.15:
            operation = self.one("atomic_add", "atomic_xor", "atomic_sub")
            body.append(f"{indent}    {operation}(&c[n + 5], {self.value(counter, 1)});")
        self.names = held
        return [f"{indent}{self.head(counter)} {{", *body, f"{indent}}}"]

    def single(self) -> str:
        restrict = self.one("restrict ", "restrict ", "")
        lines = ["    int v = 1, p = 3;"]
        for i in range(self.draw.randint(1, 4)):
            if self.draw.random() < 0.25:
                lines += self.statement("3", "    ", 0)
            lines += self.loop("    ", i)
        lines.append(f"    c[{SIZE - 1}] = v ^ p;")
        return HELPERS + self._head(restrict) + "\n".join(lines) + "\n}\n"

    def items(self) -> str:
        restrict, place = self.one("restrict ", ""), "get_global_id(0)"
        term = self.one(f"ours({place})", "mixed(me(), 3)", f"nested({place})", "a[i] / get_global_size(0)",
                        "(a[i] - 60) / get_global_size(0)", "(a[i] < get_global_size(0) ? 3 : 4)",
                        "ours(2)")  # fmt: skip
        lines = [f"    int i = {place};", "    int v = a[i];"]
        ends = self.one("", "i >= n", "a[i] == 5")
        lines += [f"    if ({ends})", "        return;"] if ends else []
        lines += [f"    v += {term};"] + (["    bump(&v, i);"] if self.draw.random() < 0.5 else [])
        if self.draw.random() < 0.4:
            step = self.one("k++", "k += 2")
            lines += [
                f"    for (uint k = 0; k < {self.one('n', 'lead', '7')}; {step})",
                "        v = v * 3 + b[k] - k;",
            ]
        lines.append(f"    c[i] = v + b[i + {self.draw.randint(0, 3)}];")
        group = ""
        if self.draw.random() < 0.4:
            group = self.one("__attribute__((reqd_work_group_size(2, 1, 1)))\n", "")
            index = self.one("(uint)a[i] % 31", "b[i] & 63", "a[i] > 5", "v & 15", "i")
            lines[-1] = self.one(f"    atomic_add(&c[{index}], v);", f"    atomic_sub(c + ({index}), n);")
            lines += self.draw.choice(
                [[], ["    for (int j = 0; j < n; j++)\n        atomic_inc(&c[b[j & 63] & 31]);"]]
            )
        return HELPERS + ASKING + group + self._head(restrict) + "\n".join(lines) + "\n}\n"

    def nest(self) -> str:
        """Two loops, one right in the other, whose elements lie side by side along the outer one."""
        plain = [f"for ({self.one('int', 'int', 'long', 'short')} {{0}} = {first}; {{0}} < n; {{0}}++)"
                 for first in ("0", "0", "1", "lead & 1")]  # fmt: skip
        heads = [*plain, "for (int {0} = n - 1; {0} >= 0; --{0})", "for (int {0} = 0; {0} < 3; {0} += 1)"]
        inner = [*heads, *plain, "for (int {0} = 0; {0} < n - r; {0}++)", "for (q = 0; q < n; q++)"]
        by, on, more = self.draw.randint(0, 2), self.draw.randint(0, 2), self.one("", " + n", " - r", " + q * 3")
        body = self.one(
            f"c[q * n + r] = a[q * n + r] * 2{more};",
            f"c[q * n + r + {on}] += a[q * n + r + {by}]{more};",
            f"c[q * n + r] = c[(q + {by}) * n + r + {on}] / 2{more};",
            f"c[(q + 1) * n + r + 1] = c[(q + {by}) * n + r + {on}] - a[q * n + r]{more};",
            f"c[r] += a[q * n + r]{more};",
            f"c[q] = c[q] / 2 + a[q * n + r]{more};",
            f"c[q + r] = a[q * n + r]{more};",
            f"int t = a[q * n + r]; if (t < {by}) continue; c[q * 9 + r] = t{more};",
            f"c[q * 9 + r] = second(a, q * n + r){more};",
            f"v += 2; c[q * n + r] = a[q * n + r] + v{more};",
        )
        restrict, declared = self.one("restrict ", "restrict ", ""), self.one("    int q = 0;\n", "    int q = 3;\n")
        lines = [f"    {self.one(*heads).format('r')} {{", f"        {self.one(*inner).format('q')} {{"]
        lines += [f"            {body}", "        }", "    }", self.one("", "    c[90] = q;", "    c[90] += n;")]
        return HELPERS + self._head(restrict) + "    int v = 1;\n" + declared + "\n".join(lines) + "\n}\n"

    def plane(self) -> str:
        """Work-items of two dimensions whose neighbours along the second lie side by side."""
        restrict, dimension = self.one("restrict ", ""), self.draw.randint(0, 1)
        term = self.one("1", "x - y", f"(int)get_global_size({dimension})", f"(int)get_local_id({dimension})",
                        f"(int)get_group_id({dimension}) * 5", f"(int)get_num_groups({dimension}u)",
                        f"(int)get_local_size({dimension})", "(int)get_work_dim()", "nested(x)", "me()",
                        f"(int)get_global_offset({dimension})", f"get_global_id(n > {dimension})")  # fmt: skip
        lines = ["    int x = get_global_id(0), y = get_global_id(1);"]
        lines += [f"    if ({self.one('x >= n', 'y > n', 'x + y == 3')}) return;"] if self.draw.random() < 0.5 else []
        lines.append(f"    c[x * {ROW} + y] = a[x * {ROW} + y + {self.draw.randint(0, 2)}] + {term};")
        return HELPERS + ASKING + self._head(restrict) + "\n".join(lines) + "\n}\n"

    def walk(self) -> str:
        """Work-items of a group that each walk through a row, or a window of one, or turn a tile."""
        limit = self.one("", "", "i >= n", "(uint)i >= lead * 5", "i < 2 || n <= i", "a[i] == 5", "i > 3 && n > 2")
        lines = ["    int i = get_global_id(0);", "    const int j = get_global_id(1);"]
        returns = [f"    if ({limit}) return;"] if limit and self.draw.random() < 0.6 else []
        lines += returns
        lines += [f"    int v = {self.one('1', 'b[i]', 'i * n', 'n / 2', '7 / (i + 1)')};"]
        wide = self.one("n", "(n + 3)", "41", "n * 2")
        row = self.one("i", "i", "i", "(i + 1)", "(7 - i)", "mixed(i, i)", "i / 2")
        first, type_ = self.one("0", "0", "1", "(int)lead"), self.one("int", "int", "uint", "long")
        bound = self.one("n", "n", "n", "n / 2", "40", "b[0] % 9", "i")
        at = self.one("k", "k", "k + 1", "2 * k", "mixed(0, -k)")
        lines += [self.one("", "", "    #pragma unroll 2")]
        lines += [f"    for ({type_} k = {first}; k < {bound}; k++)" + self.one(" {", " { int t = k;")]
        match self.draw.randint(0, 4):
            case 0:
                lines += [f"        v = v * 3 + a[{row} * {wide} + {at}] - b[k];"]
            case 1:
                lines += [f"        if (b[k] > {self.one('n', '90')}) {self.one('continue', 'break')};"]
                lines += [f"        v += a[{row} * {wide} + {at}];"]
            case 2:
                trips = self.one("3", "2", "n")
                on = self.one("l", "2 * l", "l" if trips == "n" else "2 - l")
                lines += [f"        for (int l = 0; l < {trips}; l++)"]
                lines += [f"            v = v * 3 + a[{row} * {wide} + {at} + {on}];"]
            case 3:
                lines += [f"        int one = a[{row} * {wide} + {at}];", f"        v ^= one * a[k * {wide} + j];"]
            case _:
                lines += [f"        {self.one('v', 'c[i * 8 + j + 4000]')} += a[{row} * {wide} + {at}] * 3;"]
        lines += [
            "    }",
            f"    c[{self.one('i * 9 + j', 'i * 8 + j', 'j * 8 + i', 'i * (n + 8) + j')}] = v;",
        ]  # a place each
        if limit and not returns:
            lines[2:] = [f"    if ({limit}) {{", *lines[2:], "    }"]
        group = self.one("8, 1, 1", "4, 1, 1", "4, 4, 1", "8, 2, 1")
        head = f"__attribute__((reqd_work_group_size({group})))\n" + self._head(self.one("restrict ", "restrict ", ""))
        return HELPERS + head + "\n".join(line for line in lines if line) + "\n}\n"

    def around(self) -> str:
        """Work-items that read neighbours of their own place."""
        body = around(self.draw)
        rows = ("16, 8, 1", "8, 4, 1", "4, 16, 1") if "* 64 + x" in body else ("64, 1, 1",)
        group = self.one("", "", "64, 1, 1", *rows)
        head = f"__attribute__((reqd_work_group_size({group})))\n" if group else ""
        return head + self._head(self.one(*["restrict "] * 4, "")) + "    int v = 1;\n" + body + "}\n"

    def plain_loops(self, body: Callable[[random.Random], str]) -> str:
        """A single work-item around loops of one form."""
        restrict = self.one("restrict ", "restrict ", "")
        helpers = HELPERS + POINTER_HELPERS if body is pointers else HELPERS
        return helpers + self._head(restrict) + "    int v = 1;\n" + body(self.draw) + "}\n"

    @staticmethod
    def _head(restrict: str) -> str:
        pointers = ", ".join(f"__global int *{restrict}{name}" for name in ARGUMENTS)
        return f"__kernel void k({pointers}, int n, uint lead, float part)\n{{\n"


def awkward(seed: int) -> Awkward:
    """The kernel of a seed; in some of them words go on in the next line."""
    found = _of_form(seed)
    return replace(found, text=in_lines(found.text, seed))


def _of_form(seed: int) -> Awkward:
    """Of four blocks: types of every width, rare statements, those from a grammar."""
    form = seed // BLOCK % 4
    if seed % 32 == LANES and form != GRAMMATICAL:
        return Awkward(*lanes(seed))
    if form == GRAMMATICAL:
        return Awkward(*grammatical(seed))
    found = _of_ints(seed)
    if form == 0 or (form == 2 and seed % 32 == POINTERS):
        return found
    if form == 1:
        text = spoiled(found.text, seed, alone=all(math.prod(d.items) == 1 for d in found.data))
        for one in found.data:
            one.arrays["b"][PLACE] = RARE
        return Awkward(text, found.data)
    text, types = narrowed(found.text, seed, shared=any(d.shared for d in found.data))
    data = [replace(d, arrays={name: one.astype(types[name]) for name, one in d.arrays.items()}) for d in found.data]
    return Awkward(text, tuple(data))


def _of_ints(seed: int) -> Awkward:
    """The kernel of a seed; one in four runs over work-items, one in eight over a plane, a nest of loops, or rows."""
    import numpy as np  # noqa: PLC0415

    writer = _Writer(seed)
    if seed % 32 in {BLOCKS, OWN_BLOCKS}:
        return _blocks(seed, writer)
    over_items, planes, nests = seed % 4 == 3, seed % 8 == PLANES, seed % 8 == NESTS
    if seed % 8 == WALKS and seed % 32 != COUNTERS:
        return _walk(seed, writer.walk())
    if seed % 16 == AROUND:
        return _around(seed, writer.around())
    loops = {PLACES: places, PAIRS: followers, STENCILS: stencils}.get(seed % 16)
    loops = {TERMS: terms, POINTERS: pointers, TAPS: taps, COUNTERS: counters, BINS: bins}.get(seed % 32, loops)
    if loops is not None:
        return _with_launches(seed, writer.plain_loops(loops))
    if seed % 16 == JAMS:
        return _with_launches(seed, f"// burstline: n={LONG} lead=2\n{writer.plain_loops(jams)}")
    fixed_ones = seed % 16 == FIXED_ONES
    text = (
        fixed(seed)
        if fixed_ones
        else writer.plane()
        if planes
        else writer.nest()
        if nests
        else writer.items()
        if over_items
        else writer.single()
    )
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.integers(
            -20, 90, ROW * ROW + MARGIN if planes else MOST_ITEMS + MARGIN if over_items else SIZE
        ).astype(np.int32)
        for name in ARGUMENTS
    }
    arrays["b"] = abs(arrays["b"])

    def scalars(n: int) -> dict[str, Any]:
        return {"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)}

    if planes:
        launches = [(5, (4, 8), (1, 1)), (2, (4, 8), (2, 4)), (9, (1, 1), (1, 1)), (3, (8, 2), (4, 1))]
        launches += [(20, (ROW, ROW), (16, 16)), (40, (16, ROW), (16, 16))]
        return Awkward(text, tuple(Data(arrays, scalars(n), items, group=group) for n, items, group in launches))
    pairs = 2 if "reqd_work_group_size(2, 1, 1)" in text else 1
    lengths = (
        (pairs, 2, 32, MOST_ITEMS)
        if over_items
        else (1, 2, 13)
        if fixed_ones
        else (0, 1, 2, 5, 8)
        if nests
        else LENGTHS
    )
    data = [Data(arrays, scalars(n), (n,) if over_items else (1,), group=(pairs,)) for n in lengths]
    if "restrict" not in text and not over_items:
        aliased = lengths[-1] if nests else 13
        data += [Data(arrays, scalars(aliased), (1,), {"a": ("c", ahead)}, (1,)) for ahead in (0, 1)]
    return Awkward(text, tuple(data))


def _with_launches(seed: int, text: str) -> Awkward:
    """A single work-item with every length, buffers that overlap among them where they may."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    arrays = {name: rng.integers(-20, 90, SIZE * 2).astype(np.int32) for name in ARGUMENTS}
    arrays["b"] = abs(arrays["b"])
    data = [
        Data(arrays, {"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)}, group=(1,))
        for n in LENGTHS
    ]
    if "restrict" not in text:
        data += [Data(arrays, data[3].scalars, (1,), {"a": ("c", ahead)}, (1,)) for ahead in (0, 1)]
    return Awkward(text, tuple(data))


def _blocks(seed: int, writer: _Writer) -> Awkward:
    """Rows of a buffer, with launches that stay inside."""
    import numpy as np  # noqa: PLC0415

    items = seed % 32 == OWN_BLOCKS
    restrict, body = writer.one("restrict ", "restrict ", ""), blocks(writer.draw, items=items)
    place = f"{writer.one('b', 'b', 'c')}[900{' + i' if items else ''}]"
    text = HELPERS + writer._head(restrict) + "    int v = 1;\n" + body + f"    {place} = v;\n}}\n"
    rng = np.random.default_rng(seed)
    arrays = {name: rng.integers(-20, 90, 1024).astype(np.int32) for name in ARGUMENTS}
    arrays["b"] = abs(arrays["b"])
    data = [
        Data(arrays, {"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)},
             (24,) if items else (1,), group=(1,))
        for n in LENGTHS
    ]  # fmt: skip
    if not (restrict or items):
        data += [Data(arrays, data[3].scalars, (1,), {"a": ("c", ahead)}, (1,)) for ahead in (0, 1)]
    return Awkward(text, tuple(data))


def _around(seed: int, text: str) -> Awkward:
    """Planes with launches of whole groups, of the size that edits ask for as well."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    arrays = {name: rng.integers(-20, 90, 64 * 66).astype(np.int32) for name in ARGUMENTS}
    arrays["b"] = abs(arrays["b"])
    items = (64, 32) if "* 64 + x" in text else (512, 1)
    scalars = [{"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)} for n in (0, 1, 2, 5, 30, 70)]
    return Awkward(text, tuple(Data(arrays, one, items) for one in scalars))


def _walk(seed: int, text: str) -> Awkward:
    """Rows with launches of eight work-items in each direction."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    arrays = {name: rng.integers(-20, 90, 8 * 600).astype(np.int32) for name in ARGUMENTS}
    arrays["b"] = abs(arrays["b"])
    # Rows of n that are shorter than the launch is wide would be stored to by several work-items.
    lengths = (8, 9, 40) if "c[i * n + j]" in text else (0, 1, 4, 7, 8, 9, 40)
    scalars = [{"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)} for n in lengths]
    return Awkward(text, tuple(Data(arrays, one, (8, 8)) for one in scalars))
