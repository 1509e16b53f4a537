"""Awkward kernels from a grammar: heads, places, values and statements as people write them who do not think of loops.

Counters from outside, loops that count down or share a counter, moving pointers, structures, unions, swizzles, narrow
types, macros that are loops or places, bodies under ``#if``, loops with names, returns and gotos in loops, volatile and
local arrays.
"""

from __future__ import annotations

import re
from typing import Any

from tests.rewrites.awkward_words import Words
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
NUMBERS = ("int", "uint", "short", "ushort", "char", "uchar", "long", "float")
MOST_ITEMS = 256


def grammatical(seed: int) -> tuple[str, tuple[Data, ...]]:
    """The kernel of a seed, and launches that stay inside its buffers; one in four runs over work-items."""
    import numpy as np  # noqa: PLC0415

    items = seed % 4 == 1
    grammar = Grammar(seed, items=items)
    text, rng = grammar.text(), np.random.default_rng(seed)
    kinds = (np.int32, np.uint32, np.int16, np.uint16, np.int8, np.uint8, np.int64, np.float32)
    numbers = dict(zip(NUMBERS, kinds, strict=True))
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


class Grammar(Words):
    """One kernel of a seed; `restrict`: its buffers are known to be apart."""

    def __init__(self, seed: int, *, items: bool) -> None:
        super().__init__(seed, items=items)
        self.restrict = self.often(0.6)

    # -- loops -----------------------------------------------------------------------------------------

    def loop(self) -> list[str]:
        """A loop with what is in front of it and behind it."""
        i, before, after = self.name("i"), list[str](), list[str]()
        step = self._pointer(before) if self.often(0.15) else []
        body = self.statements(i)
        if self.often(0.2):
            body += ["{", *self.statements(i), "}"]
        self.moving = ""
        body += step
        bound = self.one("n", "n", "n", "n", "limit(n)", "(int)(n)", "LAST", "n - 1", "n / 2", "(n > 5 ? 5 : n)", "16",
                         "n + 1", "(v, n)")  # fmt: skip
        form = self.draw.randint(0, 11)
        jumps = any("continue" in line for line in body)
        if form <= 3 and not jumps:
            before.append(f"int {i} = 0;")
            lines = {
                0: [f"while ({i} < {bound}) {{", *body, f"{i}++;", "}"],
                1: [f"if ({bound} > 0) do {{", *body, f"}} while (++{i} < {bound});"],
                2: ["for (;;) {", f"if ({i} >= {bound}) break;", *body, f"{i}++;", "}"],
                3: [f"again{i}:", f"if ({i} < {bound}) {{", *body, f"{i} += 1;", f"goto again{i};", "}"],
            }[form]
        elif form == 4:
            before.append(f"int {i};")
            lines = [*self.braced(f"for ({i} = 0; {i} < ({bound}) / 2; {i}++)", body),
                     *self.braced(f"for (; {i} < {bound}; {i}++)", self.plain(i, 1))]  # fmt: skip
        else:
            head, declared = self.head(i, bound)
            before += [declared] if declared else []
            lines = self.braced(head, body)
        if any(line.startswith(f"int {i}") for line in before) and self.often(0.5):
            after.append(self.one(f"c[{SIZE - 3}] = {i};", f"v += {i};", f"s -= {i};"))
        if lines[0].startswith("for") and self.often(0.1):
            lines = [self.one("#pragma unroll 2", "__attribute__((opencl_unroll_hint(2)))"), *lines]
        if lines[0].startswith(("for", "while", "UPTO", "DOWN")) and self.often(0.15):
            lines = [f"rows{i}: {lines[0]}", *lines[1:]] if self.often(0.5) else [f"rows{i}:", *lines]
        around = self.one("if (n > 3) {", "{", "if (lead) { v++; } else {", "for (int o = 0; o < 2; o++) {")
        whole = [*before, *lines, *after]
        return [around, *whole, "}"] if self.often(0.15) and form != 3 else whole

    def _pointer(self, before: list[str]) -> list[str]:
        """A pointer that moves through a buffer, and the statement that moves it."""
        p, q = self.name("p"), self.one("a", "b", "c")
        before.append(f"__global {self.types[q]} *{p} = {q}{self.one('', ' + 1')};")
        self.moving = self.one(f"*{p}++", f"*{p}++ * 2", f"{p}[0] + {p}[1]", f"*++{p}")
        moves = self.one(f"{p}++;", f"{p} += 1;", f"{p} = {p} + 1;", f"{p} += 2;")
        return [] if "++" in self.moving else [moves]

    def head(self, i: str, bound: str) -> tuple[str, str]:
        """A loop's head, and what is declared before it."""
        by, type_ = self.draw.randint(1, 3), self.one("int", "int", "short", "long", "char", "number")
        whole = f"(uint)({bound} < 0 ? 0 : {bound})"
        up = (f"for ({type_} {i} = 0; {i} < {bound}; {i}++)", "")
        return self.draw.choice([
            up, up, (f"for ({type_} {i} = 0; {i} < {bound}; {i} += {by})", ""), (f"UPTO({i}, {bound})", ""),
            (f"for (uint {i} = 0; {i} < {whole}; {i}++)", ""), (f"for (uchar {i} = 0; {i} < {whole}; ++{i})", ""),
            (f"for (int {i} = {bound}; {i}-- > 0;)", ""), (f"for (int {i} = ({bound}) - 1; {i} >= 0; {i}--)", ""),
            (f"for (int {i} = {bound}; {i} > 0; {i} -= 2)", ""), (f"DOWN({i}, {bound})", ""),
            (f"for (int {i} = 0, j{i} = {bound}; {i} < j{i}; {i}++, j{i}--)", ""),
            (f"for ({i} = 0; {i} < {bound}; {i}++)", f"int {i};"), (f"for (; {i} < {bound}; {i}++)", f"int {i} = 0;"),
            (f"for (; {i} < {bound}; ++{i})", f"int {i} = {by - 1};"), (f"for (int {i} = 1; {bound} > {i}; {i}++)", ""),
            (f"for (int {i} = 0; {i} <= {bound}; {i} = {i} + 1)", ""),
            (f"for (int {i} = 0; {i} != limit(n); {i}++)", ""), (f"for (size_t {i} = lead; {i} < {whole}; {i}++)", ""),
            (f"for (int {i} = (v & 3); {i} < {bound}; {i}++)", ""),
            (f"for (int {i} = 0; {i} < {bound} && v != 77; {i}++)", ""),
            (f"for (int {i} = 0, e{i} = {bound}; {i} < e{i}; {i}++)", ""),
            (f"for (int {i} = 0; {i} < {bound}; {i}++, v += 2)", ""),
            (f"for (int {i} = 0; !({i} >= {bound}); {i}++)", ""), (f"for (int {i} = -1; ++{i} < {bound};)", ""),
        ])  # fmt: skip

    def braced(self, head: str, body: list[str]) -> list[str]:
        """A loop laid out in one of several ways."""
        apart = any(line.startswith("#") for line in body)
        if len(body) == 1 and not apart and self.often(0.5):
            return [f"{head} {body[0]}"] if self.often(0.5) else [head, f"    {body[0]}"]
        if self.often(0.2) and not apart:
            return [f"{head} {{ {' '.join(body)} }}"]
        extra = self.one("", "", "", "    /* for (int i = 0; i < n; i++) { c[i] = 0; */", "    // c[0] = 1; }")
        inner = [line if line[0] == "#" else f"    {line}" for line in body]
        return [f"{head} {{", *([extra] if extra else []), *inner, "}"]

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
        sized = "__attribute__((reqd_work_group_size(8, 1, 1)))\n"
        head = f"{self.one('', sized, sized) if self.items else ''}__kernel void k({', '.join(pointers)}, "
        forms = FORMS.replace("TC *p", f"{volatile}{self.types['c']} *p").replace("TA *p", f"{self.types['a']} *p")
        text = forms + (IDS if self.items else "") + head + "int n, uint lead, float part)\n{\n" + body + "\n}\n"
        if volatile:
            text = re.sub(r"\(\(__global (\w+) \*\)c\)", r"((volatile __global \1 *)c)", text)
            # The runtime has no such built-in of a volatile place.
            text = re.sub(r"(?<=, )c(?=\)\.[xz])|(?<=vload4\(0, )c", f"(__global {self.types['c']} *)c", text)
            text = re.sub(r"vstore2\((.*), c\);", r"vstore2(\1, (__global int *)c);", text)
        return text

    def own(self) -> list[str]:
        """What a work-item does: all that it stores is its own element."""
        declared = self.one(
            "int g = get_global_id(0);", "size_t g = get_global_id(0);", "const uint g = me();", "int g = mine(1);",
            "int g = place();", "unsigned g = get_group_id(0) * get_local_size(0) + get_local_id(0);",
        )  # fmt: skip
        lines = [declared, self.one("", "", "if (g >= n) return;", "if (a[g] == 7) return;", "if (n < 3) v = 4;")]
        k, v = self.name("k"), self.value("(int)g % 40", 2)
        bound = self.one("n", "n", "4", "8", "(int)g % 9", "n / 2")
        head = self.one(
            f"for (int {k} = 0; {k} < {bound}; {k}++)", f"for (int {k} = {bound}; {k}-- > 0;)", f"UPTO({k}, {bound})",
            f"for (uchar {k} = 0; {k} < 5; {k}++)", f"int {k} = 0;\n    for (; {k} < {bound}; {k} += 2)",
        )  # fmt: skip
        leave = f"if (a[{k}] == {self.draw.randint(0, 9)}) {self.one('break', 'continue')};"
        inner = self.one(
            f"v += (int)a[g + {k}] * (int)b[{k}];", f"v = v * 3 - (int)a[{k}];", f"{leave} v += (int)b[g + {k}];",
            f"v ^= (int)((__global {self.types['b']}2 *)b)[{k}].y;", f"c[g] += a[{k}];",
            f"t[{k} & 7] += a[g + {k}]; v += t[({k} + 1) & 7];", f"if (b[{k}] > 20) {{ v++; if (v == 40) return; }}",
            f"m[{k} & 3][{k} >> 2 & 3] = b[g]; v += m[1][{k} & 3];", f"v += early((int)a[g + {k}]) + twice({k});",
        )  # fmt: skip
        if self.often(0.7):
            lines += [f"{head} {{", f"    {inner}", "}"]
        if self.often(0.35) and "return" not in "".join(lines):
            lines += self.shared()
        lines.append(self.one(
            f"c[g] = {v} + v;", "c[g] += v;", "c[g] = v; if (b[g] > 30) c[g] = n;", f"c[g] = v > 3 ? {v} : a[g];",
            "AT(c, g) = v;", f"if (g & 1) c[g] = {v}; else c[g] = v;",
        ))  # fmt: skip
        return [line for line in lines if line]

    def shared(self) -> list[str]:
        """Local memory with barriers."""
        wait = self.one("barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
        body = [
            f"__local {self.one('int', 'short')} l[{self.one('2', '3')}][9];", "int q = get_local_id(0) & 7;",
            "l[0][q] = a[g];", "l[1][q] = b[g];", wait,
            self.one(
                "v += l[1][7 - q] + l[0][q];", "v += l[0][q ^ 1];", "for (int z = 0; z < 8; z++) v += l[z & 1][z];"
            ),
        ]  # fmt: skip
        if self.often(0.4):
            return [body[0], body[1], f"if (n > {self.draw.randint(0, 9)}) {{", *body[2:], "}"]
        return body
