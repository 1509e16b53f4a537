"""Awkward kernels from a grammar: heads, places, values and statements as people write them who do not think of loops.

Counters from outside, loops that count down or share a counter, moving pointers, structures, unions, swizzles, narrow
types, macros that are loops or places, bodies under ``#if``, returns and gotos in loops, volatile and local arrays.
"""

from __future__ import annotations

import random
import re
from typing import Any

from tests.rewrites.equality import Data

SIZE = 256
"""Elements of each buffer: twice the largest n, and what is added to it."""
FORMS = """#define AT(p, i) (p)[i]
#define UPTO(i, m) for (int i = 0; i < (m); i++)
#define DOWN(i, m) for (int i = (m) - 1; i >= 0; --i)
#define TWICE(x) ((x) + (x))
#define PUT(p, i, x) do { (p)[i] = (x); hits++; } while (0)
#define LAST 40
typedef struct { int x, y; } two;
typedef union { int i; uint u; uchar c[4]; short s[2]; } word;
typedef struct { two at[2]; int k; } box;
typedef int number;
enum { LOW = 3, HIGH = LOW * 4 };
__constant int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
int limit(int m) { return m > LAST ? LAST : m; }
int twice(int x) { int s = 0; for (int i = 0; i < 2; i++) s += x; return s; }
int early(int x) { if (x < 0) return -x; while (x > 90) { if (x == 95) return 5; x -= 7; } return x; }
void store(__global TC *p, int i, int x) { p[i] = x; }
int from(__global const TA *p, int i) { return p[i]; }
void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
int byte_of(int x) { word w; w.i = x; return w.c[1]; }
two pair(int x) { two p = { x, x + 1 }; return p; }
"""
IDS = """size_t me(void) { return get_global_id(0); }
int mine(int k) { return (int)me() * k; }
int place(void) { return get_local_id(0) + get_group_id(0) * get_local_size(0); }
"""
BYTES = ("int", "uint", "short", "ushort", "char", "uchar", "long")
MOST_ITEMS = 256
TYPES = ("int", "int", "int", "int", "uint", "short", "char", "uchar", "long", "ushort")


def grammatical(seed: int) -> tuple[str, tuple[Data, ...]]:
    """The kernel of a seed, and launches that stay inside its buffers; one in four runs over work-items."""
    import numpy as np  # noqa: PLC0415

    items = seed % 4 == 1
    grammar = Grammar(seed, items=items)
    text, rng = grammar.text(), np.random.default_rng(seed)
    numbers = dict(zip(BYTES, (np.int32, np.uint32, np.int16, np.uint16, np.int8, np.uint8, np.int64), strict=True))
    size = SIZE + (MOST_ITEMS if items else 0)
    arrays = {
        n: abs(rng.integers(-20 if n != "b" else 0, 90, size)).astype(numbers[t]) for n, t in grammar.types.items()
    }
    for name, type_ in grammar.types.items():
        if name != "b" and not type_.startswith("u"):
            arrays[name] *= rng.integers(0, 2, size).astype(numbers[type_]) * 2 - 1

    def scalars(n: int) -> dict[str, Any]:
        return {"n": np.int32(n), "lead": np.uint32(n % 3), "part": np.float32(1.75)}

    if items:
        group = (8,) if "size(8" in text or "__local" in text else (1,)
        return text, tuple(Data(arrays, scalars(n), (n,), group=group) for n in (8, 16, 32, MOST_ITEMS))
    data = [Data(arrays, scalars(n), group=(1,)) for n in (0, 1, 2, 5, 13, 40)]
    if not grammar.restrict:
        alike = [name for name in "ab" if grammar.types[name] == grammar.types["c"]]
        data += [Data(arrays, scalars(13), (1,), {name: ("c", on)}, (1,)) for name in alike for on in (0, 1)]
    return text, tuple(data)


class Grammar:
    """One kernel of a seed; `types` are those of the buffers."""

    def __init__(self, seed: int, *, items: bool) -> None:
        self.draw = random.Random(seed)
        self.items = items
        self.types = {name: self.draw.choice(TYPES) for name in "abc"}
        self.restrict = self.draw.random() < 0.6
        self.count, self.steps = 0, True
        self.moving: str = ""

    def one(self, *what: str) -> str:
        """One of several."""
        return self.draw.choice(what)

    def often(self, share: float) -> bool:
        """True for a share of the calls."""
        return self.draw.random() < share

    def name(self, stem: str) -> str:
        """A name that is new."""
        self.count += 1
        return f"{stem}{self.count}"

    # -- expressions -----------------------------------------------------------------------------------

    def place(self, p: str, i: str) -> str:
        """An element of a buffer near a counter, written in one of many ways."""
        type_ = self.types[p]
        by = self.draw.randint(0, 4)
        plain = (f"{p}[{i}]", f"{p}[{i} + {by}]", f"{p}[{i} + {by}]")
        return self.one(
            *plain, *plain, f"*({p} + {i})", f"({p} + {by})[{i}]", f"({i})[{p}]", f"AT({p}, {i})", f"AT({p} + 1, {i} + {by})",
            f"{p}[2 * ({i}) + {by}]", f"{p}[{i} & 15]", f"{p}[({i}) % 7u]", f"{p}[(uchar)({i})]", f"{p}[(short)({i} + 1)]",
            f"{p}[{i} ? {i} - 1 : 0]", f"{p}[n + 3]", f"{p}[LOW]", f"{p}[HIGH - 1]", f"(&{p}[{i}])[1]", f"{p}[LAST - 1]",
            f"*(&{p}[1] + ({i}))", f"((__global {type_} *){p})[{i}]",
            f"((__global {type_.removeprefix('u') if type_[0] == 'u' else 'u' + type_} *){p})[{i}]",
        )  # fmt: skip

    def load(self, i: str) -> str:
        """A value from memory."""
        p = self.one("a", "a", "b", "b", "b" if self.items else "c")
        type_, at = self.types[p], self.place(p, i)
        more = [
            f"from({'a'}, {i})", f"((__global uchar *){p})[{i}]", f"((__global {type_}2 *){p})[{i}].y",
            f"vload2({i}, {p}).x", f"vload4(0, {p} + ({i})).s{self.draw.randint(0, 3)}", f"(({i}) & 1 ? {p} : c)[{i}]",
            f"({p}[{i}] > 3 ? {p} : {p} + 1)[{i}]", f"a[b[{i}] & 31]", f"table[{p}[{i}] & 7]", f"as_{type_}({at})",
            f"*(volatile __global {type_} *)(&{p}[{i}])",
        ]  # fmt: skip
        if self.types["a"] == "int" or self.types["a"] == "uint":
            more += [f"((__global two *)a)[{i}].y", f"((__global const word *)a)[{i}].c[1]"]
        if self.types[p] != self.types["c"] or self.items:
            more.remove(f"(({i}) & 1 ? {p} : c)[{i}]")
        return self.one(*[at] * len(more), *more)

    def value(self, i: str, depth: int = 2) -> str:
        """A whole number."""
        if depth <= 0 or self.often(0.2):
            return self.one(self.load(i), self.load(i), self.load(i), "v", "(int)lead", i, "n", "7", "-2", "1u", "0x1f")
        x, y = self.value(i, depth - 1), self.value(i, depth - 1)
        found = self.one(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} ^ {y})", f"({x} & {y})", f"({x}) / 3", f"({x}) % 5",
            f"({x}) >> 1", f"(uint)({x}) >> 2", f"-({x})", f"~({x})", f"!({x})", f"({x} < {y})", f"({x} == {y} || {y} > 3)",
            f"({x} > 3 ? {y} : {x} < -3 ? v : 1)", f"(short)({x})", f"(uchar)({x})", f"(char)({x})", f"(unsigned char)({x})",
            f"convert_uchar_sat({x})", f"(int)((float)(({x}) & 255) * part)", f"max((int)({x}), (int)({y}))",
            f"(long)({x}) * 3", f"clamp((int)({x}), -20, 20)", f"((int4)({x}, {y}, 1, n)).wzyx.s{self.draw.randint(0, 3)}",
            f"((int2)({x}, v)).yx.x", f"pair({x}).y", f"twice({x})", f"early({x})", f"TWICE({x})", f"limit({x})",
            f"select((int)({x}), (int)({y}), (int)({x}) & 1 ? -1 : 0)", f"abs_diff((int)({x}), 3)", f"(({x}) << (({y}) & 3))",
            f"byte_of({x})", f"(number)({x})", f"sizeof({x}) + ({y})", f"(size_t)({x})",
        )  # fmt: skip
        if self.steps and self.often(0.05):
            self.steps = False
            return f"(w += 3, {found})"
        return found

    # -- statements ------------------------------------------------------------------------------------

    def statements(self, i: str, depth: int = 1) -> list[str]:
        """What one iteration does."""
        self.steps = True
        v = self.value(i, self.draw.randint(0, 2))
        far, by = self.draw.randint(1, 3), self.draw.randint(0, 3)
        kind = self.draw.randint(0, 31)
        int_c = self.types["c"] in {"int", "uint"}
        match kind:
            case 0 | 1 | 2:
                return [f"c[{i}] = {v};"]
            case 3:
                return [f"c[{i} + {by}] {self.one('+=', '-=', '^=', '|=', '*=')} {v};"]
            case 4:
                return [f"{self.place('c', i)} = {v};"]
            case 5:
                return [f"c[{i}] = c[{i} + {far}] = {v};"]
            case 6:
                return [self.one(f"PUT(c, {i}, {v});", f"store(c, {i}, {v});", f"AT(c, {i}) = {v}, v++;")]
            case 7:
                return [f"c[{i} + 4] = c[{i} + {4 - far}] / 2 + ({v});"]
            case 8:
                return [f"s += {v};"]
            case 9:
                return [
                    self.one(
                        f"s = max(s, (int)({v}));", f"s ^= {v};", f"if (({v}) > s) s = {v};", f"s = s * 3 + ({v});"
                    )
                ]
            case 10:
                at = self.one("3", "n + 5", "lead", "v & 7", "HIGH")
                return [f"c[{at}] {self.one('+=', '^=', '=', '-=')} {v};"]
            case 11:
                return [
                    self.one(
                        f"c[({v}) & 15]++;",
                        f"++c[a[{i}] & 31];",
                        f"c[(uchar)b[{i}] & 7] += {v};",
                        f"c[(uint)a[{i}] % 9]--;",
                    )
                ]
            case 12 if int_c:
                call = self.one("add", "sub", "xor", "or", "max")
                return [f"atomic_{call}(&c[{self.one('2', 'n & 7', f'{i}', f'b[{i}] & 7')}], {v});"]
            case 13:
                return [
                    f"t[{i} & 7] {self.one('=', '+=')} {v};",
                    f"c[{i}] = t[{self.one(f'{i} & 7', f'({i} + 1) & 7', '2')}];",
                ]
            case 14:
                return [f"m[({i}) & 3][({i}) >> 2 & 3] {self.one('=', '+=', '^=')} {v};", f"s += m[{i} & 1][{by}];"]
            case 15:
                return [f"word x; x.i = {v}; x.c[1] = {self.value(i, 1)};", f"c[{i}] = x.u;"]
            case 16:
                return [f"two q = {{ {v}, {i} }}; q.x += q.y; swap(&q.x, &q.y);", f"c[{i}] = q.x - q.y;"]
            case 17:
                return [f"int x = {v}, y = x; y += x > 5 ? x++ : x--;", f"c[{i}] = x; c[{i} + {far}] = y;"]
            case 18:
                return [
                    f"if (a[{i}] {self.one('>', '==', '<')} {by}) {self.one('continue', 'break', 'return')};",
                    f"c[{i}] = {v};",
                ]
            case 19:
                return [f"({v}) > 3 ? (c[{i}] = v) : (c[{i} + 1] = n);"]
            case 20:
                return [f"if (b[{i}] > n && (c[{i}] = {v})) v++;", f"else c[{i} + {far}] = v;"]
            case 21:
                return [f"switch (({v}) & 3) {{ case 0: c[{i}] = 1; case 1: v++; break; default: c[{i}] = v; }}"]
            case 22:
                return (
                    [f"vstore2((int2)({v}, {i}), {i}, (__global int *)c);"]
                    if self.types["c"] == "int"
                    else [f"c[{i}] = {v};"]
                )
            case 23:
                return [f"c[2 * {i}] = {v};", f"c[2 * {i} + 1] = {self.value(i, 1)};"]
            case 24:
                k = self.name("k")
                bound = self.one("3", "4", "n", f"{i}", "(n & 3)")
                inner = self.one(
                    f"s += a[{i} + {k}] * {self.one('2', k)};",
                    f"c[{i} + {k}] += b[{k}];",
                    f"c[{i}] += a[{i} * 2 + {k}];",
                )
                if bound in {"n", i}:
                    inner = inner.replace(f"{i} * 2", i)
                return [f"for ({self.one('int', 'short', 'uchar', 'uint')} {k} = 0; {k} < {bound}; {k}++) {inner}"]
            case 25:
                return ["#ifdef MISSING", f"c[{i}] = n;", "#else", f"c[{i}] = {v};", "#endif"]
            case 26:
                return [f"#if LAST > {self.one('3', '60')}", f"c[{i}] = {v};", "#endif", f"v += a[{i}];"]
            case 27:
                return [f"v = {v};", f"c[{i}] = v;"]
            case 28:
                return [
                    f"const {self.one('int', 'short', 'uint', 'number')} x = {v};",
                    f"c[{i}] = x * x;",
                    f"c[{i} + {by}] += x;",
                ]
            case 29 if self.moving:
                return [f"c[{i}] = {self.moving};"]
            case 30:
                return [
                    f"int4 q = (int4)({v}, a[{i}], b[{i}], {i}); q.xz = q.zx; q.s3 += q.y;",
                    f"c[{i}] = q.{self.one('x', 'w', 's13.x', 'hi.y')};",
                ]
            case _:
                return [f"if ({v}) {{ {' '.join(self.plain(i, depth - 1))} }}"] if depth else [f"c[{i}] = {v};"]

    def plain(self, i: str, depth: int) -> list[str]:
        """Statements without directives, which need lines of their own."""
        while True:
            found = self.statements(i, depth)
            if not any(line.startswith("#") for line in found):
                return found

    # -- loops -----------------------------------------------------------------------------------------

    def loop(self) -> list[str]:
        """A loop with what stands in front of it and behind it."""
        i = self.name("i")
        before, after, step = list[str](), list[str](), list[str]()
        moves = self.often(0.15)
        if moves:
            p, q = self.name("p"), self.one("a", "b", "c")
            before.append(f"__global {self.types[q]} *{p} = {q}{self.one('', ' + 1')};")
            self.moving = self.one(f"*{p}++", f"*{p}++ * 2", f"{p}[0] + {p}[1]")
            step = [] if "++" in self.moving else [self.one(f"{p}++;", f"{p} += 1;", f"{p} = {p} + 1;", f"{p} += 2;")]
        body = self.statements(i)
        if moves:
            body = [f"c[{i}] = {self.moving};"] if self.often(0.7) else body
        if self.often(0.2):
            body += self.statements(i)
        self.moving = ""
        body += step
        bound = self.one(
            "n", "n", "n", "n", "limit(n)", "(int)(n)", "LAST", "n - 1", "n / 2", "(n > 5 ? 5 : n)", "16", "n + 1"
        )
        unsigned, type_ = (
            f"(uint)({bound} < 0 ? 0 : {bound})",
            self.one("int", "int", "short", "long", "char", "number"),
        )
        heads = [
            (f"for ({type_} {i} = 0; {i} < {bound}; {i}++)", ""), (f"for ({type_} {i} = 0; {i} < {bound}; {i}++)", ""),
            (f"for ({type_} {i} = 0; {i} < {bound}; {i} += {self.draw.randint(1, 3)})", ""),
            (f"for (uint {i} = 0; {i} < {unsigned}; {i}++)", ""), (f"for (uchar {i} = 0; {i} < {unsigned}; ++{i})", ""),
            (f"for (int {i} = {bound}; {i}-- > 0;)", ""), (f"for (int {i} = {bound} - 1; {i} >= 0; {i}--)", ""),
            (f"for (int {i} = {bound}; {i} > 0; {i} -= 2)", ""),
            (f"for (int {i} = 0, j{i} = {bound}; {i} < j{i}; {i}++, j{i}--)", ""),
            (f"for ({i} = 0; {i} < {bound}; {i}++)", f"int {i};"), (f"for (; {i} < {bound}; {i}++)", f"int {i} = 0;"),
            (f"for (; {i} < {bound}; ++{i})", f"int {i} = {self.draw.randint(0, 2)};"), (f"UPTO({i}, {bound})", ""), (f"DOWN({i}, {bound})", ""),
            (f"for (int {i} = 0; {i} <= {bound}; {i} = {i} + 1)", ""), (f"for (int {i} = 1; {bound} > {i}; {i}++)", ""),
            (f"for (int {i} = 0; {i} != limit(n); {i}++)", ""), (f"for (size_t {i} = lead; {i} < {unsigned}; {i}++)", ""),
            (f"for (int {i} = 0; {i} < {bound} && v != 77; {i}++)", ""), (f"for (int {i} = (v & 3); {i} < {bound}; {i}++)", ""),
        ]  # fmt: skip
        form = self.draw.randint(0, 9)
        jumps = any("continue" in line for line in body)
        if form == 0 and not jumps:
            before.append(f"int {i} = 0;")
            lines = [f"while ({i} < {bound}) {{", *body, f"{i}++;", "}"]
        elif form == 1 and not jumps:
            before.append(f"int {i} = 0;")
            lines = [f"if ({bound} > 0) do {{", *body, f"}} while (++{i} < {bound});"]
        elif form == 2 and not jumps:
            before.append(f"int {i} = 0;")
            lines = ["for (;;) {", f"if ({i} >= {bound}) break;", *body, f"{i}++;", "}"]
        elif form == 3:
            before.append(f"int {i};")
            more = self.plain(i, 1)
            lines = [
                f"for ({i} = 0; {i} < {bound} / 2; {i}++) {{",
                *body,
                "}",
                f"for (; {i} < {bound}; {i}++) {{",
                *more,
                "}",
            ]
        else:
            head, declared = self.draw.choice(heads)
            before += [declared] if declared else []
            lines = self.braced(head, body)
        if any(line.startswith(f"int {i}") for line in before) and self.often(0.5):
            after.append(self.one(f"c[{SIZE - 3}] = {i};", f"v += {i};", f"s -= {i};"))
        pragma = ["#pragma unroll 2"] if lines[0].startswith("for") and self.often(0.1) else []
        return [*before, *pragma, *lines, *after]

    def braced(self, head: str, body: list[str]) -> list[str]:
        """A loop laid out in one of several ways."""
        single = len(body) == 1 and not body[0].startswith("#")
        if single and self.often(0.5):
            return [f"{head} {body[0]}"] if self.often(0.5) else [head, f"    {body[0]}"]
        if self.often(0.2) and not any(line.startswith("#") for line in body):
            return [f"{head} {{ {' '.join(body)} }}"]
        extra = self.one("", "", "", f"/* for (int i = 0; i < n; i++) {{ c[i] = 0; */", "// i < n } \\")
        extra = "" if "\\" in extra else extra
        return [
            f"{head} {{",
            *([extra] if extra else []),
            *(line if line[0] == "#" else f"    {line}" for line in body),
            "}",
        ]

    # -- kernels ---------------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole text."""
        restrict = "restrict " if self.restrict else ""
        kinds = {name: "const " if name != "c" and self.often(0.2) and self.restrict else "" for name in "abc"}
        volatile = self.one(*[""] * 9, "volatile ")
        pointers = [f"__global {kinds[n]}{volatile if n == 'c' else ''}{self.types[n]} *{restrict}{n}" for n in "abc"]
        lines = ["int v = 1, w = 2, s = 0, hits = 0;", "int t[8] = { 0 }, m[4][4] = { { 0 } };"]
        if self.items:
            lines += self.own()
        else:
            for _ in range(self.draw.randint(1, 3)):
                lines += self.loop()
            lines.append(f"c[{SIZE - 1}] = v ^ s + hits + w;")
        body = "\n".join(line if line.startswith("#") else f"    {line}" for line in lines)
        group = self.group if self.items else ""
        head = f"{group}__kernel void k({', '.join(pointers)}, int n, uint lead, float part)\n{{\n"
        forms = FORMS.replace("TC *p", f"{volatile}{self.types['c']} *p").replace("TA *p", f"{self.types['a']} *p")
        text = forms + (IDS if self.items else "") + head + body + "\n}\n"
        if volatile:
            text = re.sub(r"\(\(__global (\w+) \*\)c\)", r"((volatile __global \1 *)c)", text)
            text = text.replace("__global int *)c)", "__global int *)(int __global *)c)")
        return text

    @property
    def group(self) -> str:
        """The attribute for the size of groups."""
        return self.one(
            "", "__attribute__((reqd_work_group_size(8, 1, 1)))\n", "__attribute__((reqd_work_group_size(8, 1, 1)))\n"
        )

    def own(self) -> list[str]:
        """What a work-item does: all that it stores is its own element."""
        declared = self.one("int g = get_global_id(0);", "size_t g = get_global_id(0);", "const uint g = me();", "int g = mine(1);",
                            "int g = place();", "unsigned g = get_group_id(0) * get_local_size(0) + get_local_id(0);")  # fmt: skip
        lines = [declared, self.one("", "", "if (g >= n) return;", "if (a[g] == 7) return;", "if (n < 3) v = 4;")]
        k, v = self.name("k"), self.value("(int)g % 64", 2)
        bound = self.one("n", "n", "4", "8", "(int)g % 9", "n / 2")
        head = self.one(
            f"for (int {k} = 0; {k} < {bound}; {k}++)", f"for (int {k} = {bound}; {k}-- > 0;)", f"UPTO({k}, {bound})",
            f"for (uchar {k} = 0; {k} < 5; {k}++)", f"int {k} = 0;\n    for (; {k} < {bound}; {k} += 2)",
        )  # fmt: skip
        inner = self.one(
            f"v += a[g + {k}] * b[{k}];", f"v = v * 3 - a[{k}];", f"v ^= ((__global {self.types['b']}2 *)b)[{k}].y;",
            f"if (a[{k}] == {self.draw.randint(0, 9)}) {self.one('break', 'continue')}; v += b[g + {k}];", f"c[g] += a[{k}];",
            f"t[{k} & 7] += a[g + {k}]; v += t[({k} + 1) & 7];", f"m[{k} & 3][{k} >> 2 & 3] = b[g]; v += m[1][{k} & 3];",
            f"if (b[{k}] > 20) {{ v++; if (v == 40) return; }}", f"v += early(a[g + {k}]) + twice({k});",
        )  # fmt: skip
        if self.often(0.7):
            lines += [f"{head} {{", f"    {inner}", "}"]
        if self.often(0.35) and "return" not in "".join(lines):
            lines += self.shared()
        lines.append(self.one(f"c[g] = {v} + v;", f"c[g] {self.one('+=', '^=')} v;", "c[g] = v; if (b[g] > 30) c[g] = n;", f"c[g] = v > 3 ? {v} : a[g];",
                              "AT(c, g) = v;", f"if (g & 1) c[g] = {v}; else c[g] = v;"))  # fmt: skip
        return [line for line in lines if line]

    def shared(self) -> list[str]:
        """Local memory with barriers."""
        wait = self.one("barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
        body = [
            self.one("__local int l[2][9];", "__local int l[3][9];"), "int q = get_local_id(0) & 7;", "l[0][q] = a[g];", "l[1][q] = b[g];",
            wait, self.one("v += l[1][7 - q] + l[0][q];", "for (int z = 0; z < 8; z++) v += l[z & 1][z];", "v += l[0][q ^ 1];"),
        ]  # fmt: skip
        if self.often(0.4):
            return [body[0], body[1], f"if (n > {self.draw.randint(0, 9)}) {{", *body[2:], "}"]
        return body
