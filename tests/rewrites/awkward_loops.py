"""Forms of awkward kernels around plain loops: places that a loop does not move, loops that follow each other."""

from __future__ import annotations

import random


def places(draw: random.Random) -> str:
    """The body of a kernel whose loops load from places that they do not move, under conditions of every kind."""
    one = draw.choice
    counter = one(["int", "int", "int", "uint", "long", "uchar", "short"])
    place = one(["a[3]", "a[lead]", "c[60]", "c[lead]", "c[n + 41]", "b[b[2] & 7]", "a[at]", "c[at]", "*a",
                  "q[2]", "b[4]", "a[second(b, 3) & 31]",
                 "c[45 + (lead & 3)]", "a[7 / at]", "c[(uchar)(at + 255)]", "c[at + 90]", "a[t2[1]]"])  # fmt: skip
    stored = one(["c[j + 1]", "c[j + 1]", "c[j]", "c[2 * j]", "c[(uchar)(j * 40) & 63]", "c[40 - j]", "a[j + 4]",
                  "c[b[j & 15] & 31]", "c[(j * 0xFFFFFFFFu + 44u) & 63]", "b[j + 1]", "c[k0]", "q[j]", "b[4]", "b[4]",
                  "c[(ushort)(j + 65530)  & 31]", "c[(uint)(10 + j * 0xFFFFFFFFu + 31)]"])  # fmt: skip
    use = one([place, f"({place} > 3 ? {place} : j)", f"mixed({place}, j)", f"second(b, j) - {place}",
               f"(a[j] & {place})", f"{place} * {place}", f"(int)(char){place}"])  # fmt: skip
    store = f"{stored} {one(['=', '=', '+=', '^='])} {use};"
    guard = one(["", "", "", "if (n > 3) ", "if (a[j] > 20) ", "if (lead & 1) ", "if (j == 0) ; else ",
                  "if (k0 < 3) ", "if (second(b, 3) > 20) ", "if (t2[0] > 3) ",
                 f"if ({place} > 9) ", "if (n > 2) if (lead < 2) "])  # fmt: skip
    before = one(["", "", "", f"if ({place} == 77) break; ", "if (a[j] == 5) continue; ", "int at2 = j; ",
                  "int at = j & 3; ", "at = (at + 1) & 7; ", "k0++; ", "q = q + 1; ", "bump(&v, j); ", "*w = j; ",
                  "u[0] = j; ", "t2[1] = j & 7; ", "both(&v, &k0); "])  # fmt: skip
    after = one(["", "", "", f" if (a[j] > {place}) break;", " if (v == 12345) return;", f" v += {place};",
                 f" for (int r = 0; r < lead; r++) v += r * {place};", " b[3] = v;"])  # fmt: skip
    bound = one(["n", "n", "n", "n - 3", f"({place} & 15)", "13", "lead * 4"])
    first = one(["0", "0", "1", "at & 3", "lead"])
    outer = one(["", "", "", "for (int i = 0; i < 3; i++) ", "if (n > 1) ", f"if (n > 2 && {place} > 0) "])
    head = f"for ({counter} j = {first}; j < {bound}; j++)"
    if counter not in {"int", "long"} and bound not in {"13", "n"}:
        head = f"for (int j = {first}; j < {bound}; j++)"  # neither endless, nor from below zero
    form = draw.randrange(6)
    body = f"{before}{guard}{store}{after}"
    if form == 0:
        lines = [f"    int j = {first};", f"    {outer}while (j < {bound}) {{ {before}{guard}{store} j++; }}"]
        lines[1] = lines[1].replace("continue", "break")
    elif form == 1:
        lines = [f"    int j = {first};", f"    do {{ {before}{guard}{store} j++; }} while (j < {bound} && j < 40);"]
        lines[1] = lines[1].replace("continue", "break")
    elif form == 2 and not (before or after):
        lines = [f"    {outer}", f"    {head}", f"        {guard}{store}"]
    else:
        lines = [f"    {outer}" if outer else "", f"    {head} {{", f"        {body}", "    }"]
    used = one(["", "", f"    v ^= {place};\n", f"    if (n > 4) v ^= {place};\n", "    a[3] = n;\n"])
    declared = "    int at = lead + 2, k0 = 1;\n    int t2[2] = {n, 4};\n    __global int *q = a + 2;\n"
    declared += "    int *w = &k0, *u = t2;\n"
    taken = one(["", "", "", "    bump(&at, 3);\n    at &= 7;\n", "    *w = 2;\n"])
    return declared + taken + used + "\n".join(line for line in lines if line.strip()) + "\n    c[90] += v;\n"


def followers(draw: random.Random) -> str:
    """The body of a kernel in which two loops with about the same head follow each other."""
    one = draw.choice
    declared = draw.random() < 0.85
    type_ = one(["int", "int", "int", "uint", "long", "uchar"])
    first, bound = one(["0", "0", "1", "lead", "at & 1"]), one(["n", "n", "n + lead", "at + 5", "13", "n - 1"])
    if type_ in {"uint", "uchar"} and bound == "n - 1":
        bound = "n"
    steps = ["{0}++", "++{0}", "{0} += 1"] if draw.random() < 0.8 else ["{0} += 2"]
    names = (
        one([("i", "i"), ("i", "j"), ("i", "j"), ("r", "i"), ("j", "v")]) if declared else one([("j", "j"), ("j", "r")])
    )
    heads = []
    for at, name in enumerate(names):
        begin = f"{type_} {name} = {first}" if declared else f"{name} = {first}"
        limit = one(["n", "n + 1"]) if at and draw.random() < 0.1 else bound
        heads.append(f"for ({begin}; {name} < {limit}; {one(steps).format(name)})")
    lines = []
    for name, head in zip(names, heads, strict=True):
        by, on = draw.randint(0, 3), draw.randint(0, 3)
        offset = one([f"{name} + {by}", f"{name} + {by}", f"{name} + 2", f"2 * {name} + {by}", f"{name} * (n & 3)",
                      f"40 - {name}", f"(uchar)({name} * 50) & 63", f"b[{name}] & 31", f"{name} + at",
                      "lead + 3"])  # fmt: skip
        read = one([f"{name} + {on}", f"{name} + {on}", f"{name} + 1", f"2 * {name} + {on}", f"60 - {name}", "5", "at",
                    f"{name} * (n & 3)", f"b[{name}] & 31"])  # fmt: skip
        target, source = one(["c", "c", "a"]), one(["a", "c", "c", "b"])
        body = one([
            f"{target}[{offset}] = {source}[{read}] * 2 + {name};",
            f"{target}[{offset}] = {source}[{read}] * 2 + {name};",
            f"{target}[{offset}] += {source}[{read}] - v;",
            f"int t = {source}[{read}]; {target}[{offset}] = t * t;",
            f"int t = {source}[{read}]; if (t > 30) {target}[{offset}] = t;",
            f"v += {source}[{read}];",
            f"w ^= {source}[{read}] * ({name} + 1);",
            f"t = {source}[{read}]; {target}[{offset}] = t + {name};",
            f"for (int k = 0; k < 3; k++) {target}[{offset} + k] = {source}[{read}] + k;",
            f"m[{name} & 7] = {source}[{read}]; {target}[{offset}] = m[{name} & 3];",
            f"f[{name}] = {source}[{read}]; {target}[{offset}] = {name};",
            f"{target}[{offset}] = f[{name}{one(['', '', ' + 1'])}];",
            f"if ({source}[{read}] > 50) {one(['continue', 'break'])}; {target}[{offset}] = {name};",
            f"{target}[{offset}] = mixed({source}[{read}], {name}) + second(c, {name});",
            f"bump(&{'w' if name == 'v' else 'v'}, {name}); {target}[{offset}] = v;",  # not the counter itself
            f"{target}[{offset}] = i0 + t;",
        ])  # fmt: skip
        plain = body.count(";") == 1 and draw.random() < 0.5
        lines += (
            [f"    {head}", f"        {body}"]
            if plain
            else [f"    {head} {{ // over {name}", f"        {body}", "    }"]
        )
        if len(lines) < 4:
            lines += one([[], [], [], ["    // then"], ["    int s = lead;"], ["    w = 3;"], ["    int t = n;"],
                          ["    int u = v, x = a[3];"]])  # fmt: skip
    outer = one([False, False, False, True])
    if outer:
        lines = ["    for (int q = 0; q < 2; q++) {", *lines, "    }"]
    declarations = "    int at = lead + 1, w = 1, t = 7, j = 0, r = 0, i0 = 4;\n    int m[8] = {0}, f[99] = {1};\n"
    return declarations + "\n".join(lines) + "\n    c[91] += v + w * 3 + t + j;\n"


def stencils(draw: random.Random) -> str:
    """The body of a kernel that reads neighbours in a plane, row by row."""
    one = draw.choice
    wide = one([*["10"] * 9, "8", "(4 + 6)", "(lead + 9)"])
    outer, inner = one([*["int"] * 7, "long", "uint"]), one([*["int"] * 7, "long", "short"])
    if outer == "uint" or "lead" in wide:
        inner = "int"  # in 64 bits, a difference below zero would be far outside
    first, near = one(["1", "1", "2", "2", "lead", "(n & 1) + 1"]), draw.randint(1, 2)
    bound = one(["y < (n & 15) - 1", "y <= (n & 7)", "y < 9", "y <= 7", "y < lead + 6"])
    if outer == "uint":
        bound = "y <= (n & 7)"
    columns = one(["x < 9", "x < 9", "x < 9", "x <= 7", "x <= 8", "x < 9", "x < 8 && v < 100", "x < n"])
    begin = one(["1", "1", "2", "0"])
    taps = [(draw.randint(-near, near), draw.randint(-near, near)) for _ in range(draw.randint(2, 6))]
    sign = {-1: "-", 1: "+"}

    def at(row: int, column: int) -> str:
        down = f"(y {sign[row // abs(row)]} {abs(row)})" if row else "y"
        plane = one([f"{down} * {wide} + x", f"{down} * {wide} + x", f"x + {wide} * {down}"])
        return f"a[{plane} + {30 + column}]" if column >= 0 else f"a[30 + {plane} - {-column}]"

    value = one(["+", "-", "^"]).join(f" {at(*tap)} " for tap in taps)
    before = one([*[""] * 9, "if (b[x + 2] == 7) continue; ", "int t = x + 1; ", "v++; ", "if (v > 40) break; ",
                  f"if ({at(0, 0)} > 50) "])  # fmt: skip
    loops = f"for (int r = -1; r <= {one(['1', '1', '0'])}; r++) v += a[(y + r) * {wide} + x + 30]; "
    more = [f"\n#pragma unroll\n{loops}", loops]
    if outer != "long":  # a narrower counter may lose its sign, and 64 bits would lead far outside
        more.append("int u = x - 1; v ^= a[y * 10 + u + 31]; ")
    inside = "" if before.endswith("> 50) ") else one([*[""] * 6, *more])
    target = one([*["c[y * 10 + x]"] * 6, "c[x]", "b[x]", "a[y * 10 + x + 30]"])
    store = f"{target} {one(['=', '=', '+='])} {value};"
    row = one(["", "", "", "", "int row = y * 10; ", "int part_ = 40 / (y + 3); ", "v += y; "])
    heads = [f"for ({outer} y = {first}; {bound}; {one(['y++', '++y', 'y += 1'])})",
             f"for ({inner} x = {begin}; {columns}; {one(['x++', '++x', 'x += 1'])})"]  # fmt: skip
    plain = not (before or inside) or (not inside and before.startswith("if (a") and before.endswith(") "))
    body = f"        {before}{store}" if plain and draw.random() < 0.5 else f"        {{ {before}{inside}\n  {store} }}"
    lines = [heads[0], f"    {heads[1]}{one(['', ' // columns'])}", body] if not row and draw.random() < 0.5 else [
        f"{heads[0]} {{", f"    {row}", f"    {heads[1]}", body, one([*[""] * 6, "    c[90] ^= y;"]), "}"]  # fmt: skip
    return "\n".join(f"    {line}" for line in lines if line.strip()) + "\n    c[91] += v;\n"


LONG = 200_000
"""What a comment gives for `n`: more elements than a cache holds."""


def jams(draw: random.Random) -> str:
    """The body of a kernel in which each iteration of an outer loop loads the same again."""

    def one(plain: list[str], odd: list[str]) -> str:
        return draw.choice(plain if draw.random() < MOSTLY else odd)

    by = draw.randint(0, 4)
    head = one(
        ["for (int r = 0; r < n; r++)", "for (int r = 1; r < n; ++r)", "for (int r=0;r<n - 2;r += 1) /* rows */"],
        ["for (long r = 0; r < (long)n; r++)", "for (uint r = 0; r < (uint)n; r++)", "for (int r = -1; r < n; r++)",
         "for (int r = 0; r <= n; r++)", "for (int r = 0; r < n; r += 2)", "for (int r = n - 1; r >= 0; r--)"],
    )  # fmt: skip
    declared = one(
        ["int s = 0;", "int s = b[r + 1], t = r * 3;", "const int f = a[r + 2]; int s = f;", "int s; s = r;"],
        ["int s = mixed(r, v);", "int s = -7; /* from here */", "short s = 1;", "int s = second(a, r); s ^= 5;"],
    )
    inner = one(
        ["for (int k = 0; k < n; k++)", "for (int k = n - 1; k >= 0; --k)", "for (int k = 0; k < n; k += 3)",
         "#pragma unroll 2\n        for (int k = 0; k < n; k++)"],
        ["for (uint k = 1; k < lead * 7; k++)", "for (int k = 0; k < r; k++)", "for (int k = 0; k < (s & 7); k++)"],
    )  # fmt: skip
    body = one(
        [f"s += b[k + {by}];", f"s = s * 3 + b[k + {by}] - r;", f"s ^= (b[k] * r + {by}) - b[k + 1] * a[r + 1];",
         "int u = b[k + 1] * 2; s += u + r;", "const int u = b[k], w = a[k + 1]; s += u * w - r;",
         f"s = max((int)s, b[k + {by}] ^ (int)r);", "for (int l = 0; l < 3; l++) s += b[k + l] * (r + l);",
         "int u; s += a[r + 1] * b[k]; u = s; s += u / 3; if (u & 1) s -= r;",
         f"s += vload4(k, b).x * r - vload2(k + {by}, a).y;", "int u = vload4(k, b).w; s = s * 3 + u - r;"],
        [f"if (b[k + 1] > {by * 9}) s -= b[k] + r; else s++;", "s += r > k ? b[k + 1] : a[k];",
         "if (b[k] == 5) break; s += b[k + 1];", "if (b[k] == 5) continue; s += b[k + 1];", "v += b[k]; s += v;",
         "s += r > 5 ? vload4(k, b).z : 3;", "s += vload2(k, b + r).x;", "s += vload4(k, c).y + vload2(r & 7, b).x;",
         "s += b[k] - second(a, k); s = s << 1;", "bump(&s, b[k + 1]);", "s += b[r + k];", "s += b[k] + c[k];"],
    )  # fmt: skip
    last = one(
        ["c[r + 1] = s;", "c[2 * r + 2] += s;", "c[r + 1] = s > 9 ? s : -r;", "if (s & 1) c[r + 1] = s;"],
        ["c[r + 1] = c[r + 2] + s;", "c[r + 1] = s; c[r + 2] = 7;", "c[5] = s;", "v ^= s;",
         "c[2 * r + 2] = s; c[2 * r + 3] = r;", "a[r + 1] = s;", "b[r + 1] = s;"],
    )  # fmt: skip
    braced = body.count(";") > 1 or draw.random() < 0.5
    lines = [f"        {declared}", f"        {inner}{' {' if braced else ''}", f"            {body}"]
    lines += ["        }"] if braced else []
    lines += ["        s += 3; // once more"] if draw.random() < 0.15 else []
    lines += [f"        {last}"]
    on_one_line = draw.random() < 0.1 and not any("//" in line or "#" in line for line in lines)
    text = "    " + " ".join(line.strip() for line in lines) if on_one_line else "\n".join(lines)
    before = one(
        ["", "    int lane = 2, r_first = 1;\n    v += lane + r_first;\n"], ["    int k = 4;\n", "    int s = 4;\n"]
    )
    return f"{before}    {head} {{\n{text}\n    }}\n    c[90] += v;\n"


MOSTLY = 0.85
"""Share of the parts of such a loop that nothing is in the way of."""
