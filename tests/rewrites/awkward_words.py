"""What the iterations of awkward kernels are made of: places, values and statements, each written in many ways."""

from __future__ import annotations

import random

TYPES = ("int", "int", "int", "int", "uint", "short", "char", "uchar", "long", "ushort", "float")
WHOLE = {"int", "uint"}


class Words:
    """Draws the parts of one kernel; `types` are those of its buffers, `items`: several work-items run it."""

    def __init__(self, seed: int, *, items: bool) -> None:
        self.draw = random.Random(seed)
        self.items = items
        self.types = {name: self.draw.choice(TYPES) for name in "abc"}
        self.count, self.steps = 0, True
        self.moving = ""

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
        """An element of a buffer near a counter."""
        type_, by = self.types[p], self.draw.randint(0, 4)
        other = {"float": "int", "int": "uint", "uint": "int"}.get(type_, type_)
        plain = (f"{p}[{i}]", f"{p}[{i} + {by}]", f"{p}[{i} + {by}]")
        return self.one(
            *plain, *plain, f"*({p} + {i})", f"({p} + {by})[{i}]", f"({i})[{p}]", f"AT({p}, {i})",
            f"AT({p} + 1, {i} + {by})", f"{p}[2 * ({i}) + {by}]", f"{p}[{i} & 15]", f"{p}[({i}) % 7u]",
            f"{p}[(uchar)({i})]", f"{p}[(short)({i} + 1)]", f"{p}[{i} ? {i} - 1 : 0]", f"{p}[n + 3]", f"{p}[LOW]",
            f"{p}[HIGH - 1]", f"(&{p}[{i}])[1]", f"{p}[LAST - 1]", f"*(&{p}[1] + ({i}))", f"{p}[LAST - ({i}) + 1]",
            f"((__global {type_} *){p})[{i}]", f"((__global {other} *){p})[{i}]", f"(&{p}[{i} + 2])[-1]",
            f"{p}[({i}) * 3 + {by}]", f"{p}[-1 + {i} + {by + 1}]",
        )  # fmt: skip

    def load(self, i: str) -> str:
        """A value from memory, whole where the buffer's type is."""
        p = self.one("a", "a", "b", "b", "b" if self.items else "c")
        type_, at = self.types[p], self.place(p, i)
        more = [
            f"from(a, {i})", f"((__global uchar *){p})[{i}]", f"((__global {type_}2 *){p})[{i}].y",
            f"vload2({i}, {p}).x", f"vload4(0, {p} + ({i})).s{self.draw.randint(0, 3)}", f"vload3({i}, {p}).z",
            f"({p}[{i}] > 3 ? {p} : {p} + 1)[{i}]", f"a[(int)b[{i}] & 31]", f"table[(int){p}[{i}] & 7]",
            f"as_{type_}({at})", f"*(volatile __global {type_} *)(&{p}[{i}])",
        ]  # fmt: skip
        if self.types["a"] in WHOLE:
            more += [f"((__global two *)a)[{i}].y", f"((__global const word *)a)[{i}].c[1]"]
        if self.types[p] == self.types["c"] and not self.items:
            more.append(f"(({i}) & 1 ? {p} : c)[{i}]")
        found = self.one(*[at] * len(more), *more)
        return f"(int)({found})" if "float" in (type_, self.types["a"]) else found

    def value(self, i: str, depth: int = 2) -> str:
        """A whole number."""
        if depth <= 0 or self.often(0.2):
            return self.one(self.load(i), self.load(i), self.load(i), "v", "(int)lead", i, "n", "7", "-2", "1u", "0x1f")
        x, y = self.value(i, depth - 1), self.value(i, depth - 1)
        lane = self.draw.randint(0, 3)
        found = self.one(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} ^ {y})", f"({x} & {y})", f"({x}) / 3",
            f"({x}) % 5", f"({x}) >> 1", f"(uint)({x}) >> 2", f"-({x})", f"~({x})", f"!({x})", f"({x} < {y})",
            f"({x} == {y} || {y} > 3)", f"({x} > 3 ? {y} : {x} < -3 ? v : 1)", f"(short)({x})", f"(uchar)({x})",
            f"(char)({x})", f"(unsigned char)({x})", f"convert_uchar_sat({x})", f"(long)({x}) * 3",
            f"(int)((float)(({x}) & 255) * part)", f"max((int)({x}), (int)({y}))", f"clamp((int)({x}), -20, 20)",
            f"((int4)({x}, {y}, 1, n)).wzyx.s{lane}", f"((int2)({x}, v)).yx.x", f"pair({x}).y", f"twice({x})",
            f"early({x})", f"TWICE({x})", f"limit({x})", f"select((int)({x}), (int)({y}), (int)({x}) & 1 ? -1 : 0)",
            f"abs_diff((int)({x}), 3)", f"(({x}) << (({y}) & 3))", f"byte_of({x})", f"(number)({x})",
            f"sizeof({x}) + ({y})", f"(size_t)({x})", f"mad24((int)({x}), 3, (int)({y}))", f"rotate((int)({x}), 5)",
        )  # fmt: skip
        if self.steps and self.often(0.05):
            self.steps = False
            return f"(w += 3, {found})"
        return found

    # -- statements ------------------------------------------------------------------------------------

    def statements(self, i: str, depth: int = 1) -> list[str]:
        """What one iteration does."""
        self.steps = True
        v, more = self.value(i, self.draw.randint(0, 2)), self.value(i, 1)
        forms = [
            *self._stored(i, v, more), *self._kept(i, v, more), *self._formed(i, v, more), *self._chosen(i, v, depth)
        ]  # fmt: skip
        if self.moving:
            forms += [[f"c[{i}] = {self.moving};"]] * 4
        found = self.draw.choice(forms)
        return [line for line in found if line]

    def plain(self, i: str, depth: int) -> list[str]:
        """Statements without directives, which need lines of their own."""
        while True:
            found = self.statements(i, depth)
            if not any(line.startswith("#") for line in found):
                return found

    def _stored(self, i: str, v: str, more: str) -> list[list[str]]:
        """Stores of a value."""
        far, by = self.draw.randint(1, 3), self.draw.randint(0, 3)
        change = self.one("+=", "-=", "*=") if self.types["c"] == "float" else self.one("+=", "-=", "^=", "|=", "*=")
        at = self.one("3", "n + 5", "lead", "v & 7", "HIGH")
        bins = self.one(f"({v}) & 15", f"(int)a[{i}] & 31", f"(uchar)b[{i}] & 7", f"(uint)(int)a[{i}] % 9")
        atomic = self.one("add", "sub", "xor", "or", "max")
        found = [
            *[[f"c[{i}] = {v};"]] * 4, [f"c[{i} + {by}] {change} {v};"], [f"{self.place('c', i)} = {v};"],
            [f"c[{i}] = c[{i} + {far}] = {v};"], [f"PUT(c, {i}, {v});"], [f"store(c, {i}, {v});"],
            [f"AT(c, {i}) = {v}, v++;"], [f"c[{i} + 4] = c[{i} + {4 - far}] / 2 + ({v});"], [f"c[{at}] {change} {v};"],
            [self.one(f"c[{bins}]++;", f"++c[{bins}];", f"c[{bins}] {change} {v};", f"c[{bins}]--;")],
            [f"c[2 * {i}] = {v};", f"c[2 * {i} + 1] = {more};"], [f"c[LAST - {i} + 1] = {v};"],
        ]  # fmt: skip
        if self.types["c"] in WHOLE:
            found.append([f"atomic_{atomic}(&c[{self.one('2', 'n & 7', i, f'(int)b[{i}] & 7')}], {v});"])
        if self.types["c"] == "int":
            found.append([f"vstore2((int2)({v}, {i}), {i}, c);"])
        return found

    def _kept(self, i: str, v: str, more: str) -> list[list[str]]:
        """Variables and private arrays that one iteration leaves to the next."""
        by = self.draw.randint(0, 3)
        one = self.one(f"s = max(s, (int)({v}));", f"s ^= {v};", f"if (({v}) > s) s = {v};", f"s = s * 3 + ({v});")
        back = self.one(f"{i} & 7", f"({i} + 1) & 7", "2")
        return [
            [f"s += {v};"], [one], [f"s += {v};", f"c[{i}] = s;"], [f"v = {v};", f"c[{i}] = v;"],
            [f"t[{i} & 7] {self.one('=', '+=')} {v};", f"c[{i}] = t[{back}];"],
            [f"m[({i}) & 3][({i}) >> 2 & 3] {self.one('=', '+=', '^=')} {v};", f"s += m[{i} & 1][{by}];"],
            ["for (int z = 7; z > 0; z--) t[z] = t[z - 1];", f"t[0] = {v};", f"c[{i}] = t[0] + t[7] - {more};"],
            [f"s += {v};", "v ^= s;"], ["w = s;", f"s = {v};", f"c[{i}] = w;"],
        ]  # fmt: skip

    def _formed(self, i: str, v: str, more: str) -> list[list[str]]:
        """Structures, unions, vectors and variables of narrow types."""
        far = self.draw.randint(1, 3)
        type_ = self.one("int", "short", "uint", "number", "char", "long")
        return [
            [f"word x; x.i = {v}; x.c[1] = {more};", f"c[{i}] = x.u;"],
            [f"two q = {{ {v}, {i} }}; q.x += q.y; swap(&q.x, &q.y);", f"c[{i}] = q.x - q.y;"],
            [f"int x = {v}, y = x; y += x > 5 ? x++ : x--;", f"c[{i}] = x; c[{i} + {far}] = y;"],
            [f"const {type_} x = {v};", f"c[{i}] = x * x;", f"c[{i} + {far}] += x;"],
            [f"int4 q = (int4)({v}, {more}, n, {i}); q.xz = q.zx; q.s3 += q.y;",
             f"c[{i}] = q.{self.one('x', 'w', 's13.x', 'hi.y')};"],
            [f"box q = {{ {{ {{ {v}, 1 }}, {{ 2, {i} }} }}, 3 }}; q.at[q.k & 1].y += {more};",
             f"c[{i}] = q.at[1].y + q.at[0].x;"],
            [f"volatile int x = {v}; x++;", f"c[{i}] = x;"], [f"int *q = &t[{i} & 7]; *q += {v};", f"c[{i}] = t[3];"],
        ]  # fmt: skip

    def _chosen(self, i: str, v: str, depth: int) -> list[list[str]]:
        """Conditions, jumps, directives and loops inside."""
        far, by, k = self.draw.randint(1, 3), self.draw.randint(0, 3), self.name("k")
        leave = self.one("continue", "continue", "break", "return")
        bound = self.one("3", "4", "5", "(n & 3)", f"({i} & 3)")
        inner = self.one(
            f"s += a[{i} + {k}] * {self.one('2', k)};", f"c[{i} + {k}] += b[{k}];", f"c[{i}] += a[({i}) * 5 + {k}];",
            f"c[({i}) * 5 + {k}] = a[({i}) * 5 + {k}] + b[{k}];", f"c[{k} * LAST + {i}] = a[{i} * 5 + {k}];",
            f"s = s * 2 + b[{k}] * a[{i} + {k}];", f"c[{i}] = c[{i}] + a[{k} * LAST + {i}];",
        )  # fmt: skip
        head = self.one(
            f"for ({self.one('int', 'short', 'uchar', 'uint')} {k} = 0; {k} < {bound}; {k}++)",
            f"for (int {k} = {bound} - 1; {k} >= 0; {k}--)", f"for (int {k} = {bound}; {k}--;)", f"UPTO({k}, {bound})",
        )  # fmt: skip
        found = [
            [f"if (a[{i}] {self.one('>', '==', '<')} {by}) {leave};", f"c[{i}] = {v};"],
            [f"if (b[{i}] > n && (c[{i}] = {v})) v++;", f"else c[{i} + {far}] = v;"],
            [f"switch (({v}) & 3) {{ case 0: c[{i}] = 1; case 1: v++; break; default: c[{i}] = v; }}"],
            *[[f"{head} {inner}"]] * 3, [f"{head} {{ if ({k} == 2) continue; {inner} }}", f"v += {by};"],
            ["#ifdef MISSING", f"c[{i}] = n;", "#else", f"c[{i}] = {v};", "#endif"],
            [f"#if LAST > {self.one('3', '60')}", f"c[{i}] = {v};", "#endif", f"v += (int)a[{i}];"],
            [f"if (a[{i}] > n) {{ c[{i}] = {v}; }} else if (b[{i}] == {by}) c[{i}] += 2; else {{ v--; }}"],
        ]  # fmt: skip
        if self.types["c"] != "float":
            found.append([f"({v}) > 3 ? (c[{i}] = v) : (c[{i} + 1] = n);"])
        return [*found, [f"if ({v}) {{ {' '.join(self.plain(i, depth - 1))} }}"]] if depth else found
