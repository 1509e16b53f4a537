"""Awkward kernels over buffers of vectors, of which single lanes are read, stored, exchanged and used as places."""

from __future__ import annotations

import random
from typing import Any

from tests.rewrites.equality import Data

ELEMENTS = 128
"""Vectors in each buffer."""


def lanes(seed: int) -> tuple[str, tuple[Data, ...]]:
    """The kernel of a seed, and launches that stay inside its buffers."""
    import numpy as np  # noqa: PLC0415

    draw, rng = random.Random(seed), np.random.default_rng(seed)
    restrict = draw.choice(["restrict ", "restrict ", ""])
    pointers = ", ".join(f"__global int4 *{restrict}{name}" for name in "abc")
    text = f"__kernel void k({pointers}, int n, uint lead)\n{{\n{_body(draw)}}}\n"
    arrays = {name: rng.integers(0 if name == "b" else -20, 90, ELEMENTS * 4).astype(np.int32) for name in "abc"}
    data = [Data(arrays, _scalars(np, n), group=(1,)) for n in (0, 1, 2, 5, 13, 40)]
    if not restrict:
        data += [Data(arrays, _scalars(np, 13), (1,), {"a": ("c", ahead)}, (1,)) for ahead in (0, 4)]
    return text, tuple(data)


def _scalars(np: Any, n: int) -> dict[str, Any]:
    return {"n": np.int32(n), "lead": np.uint32(n % 3)}


def _body(draw: random.Random) -> str:
    one = draw.choice

    def two() -> str:
        return one(["xy", "zx", "yw", "s02", "s31", "lo", "hi", "even", "odd", "xx"])

    def apart() -> str:
        return one(["xy", "zx", "yw", "s02", "lo", "odd"])

    lane, other = one("xyzw"), one(["x", "y", "s2", "s3", "hi.x", "lo.y"])
    far, sign = draw.randint(0, 2), one(["+=", "=", "^=", "-="])
    value = one([f"b[i].{other}", f"a[i + {far}].{lane}", f"a[i].{lane} * 3 - b[i + {far}].{other}", "v.x", "n"])
    pair = one([f"b[i].{two()}", f"a[i + {far}].{two()} - b[i].{two()}", "v.yx", f"(int2)(b[i].{lane}, i)"])
    store = one([
        f"c[i].{apart()} {sign} {pair};", f"c[i].{lane} {sign} {value};",
        f"c[i + 1].{lane} = c[i].{lane} / 2 + {value};",
        f"c[3].{lane} += {value};", f"c[3].{apart()} {sign} {pair};", f"c[b[i].{lane} & 15].{other} += {value};",
        f"c[i] = a[i].{one(['yxwz', 's3210', 'xxyy', 'wwww'])} + b[i];", f"c[i] = (int4)({pair}, {pair});",
        f"v.{apart()} {sign} {pair}; c[i] = v;", f"v.{lane}++; c[v.{lane} & 15] = a[i];",
        f"int4 t = a[i]; t.{apart()} = t.{apart()} + {pair}; c[i] = t;",
        f"c[i].{lane} = a[i].{lane}; c[i].{other} += {value};",
        f"int2 t = {pair}; c[i + 1].{lane} = t.x; c[i + 1].{other} = t.y * {value};",
        f"if (b[i].{lane} > 30) c[i].{apart()} = {pair};", f"vstore2({pair}, 2 * i + 1, (__global int *)c);",
        f"((__global int *)&c[i])[{draw.randint(0, 3)}] {sign} {value};",
        f"c[i].{lane} = a[i].{lane} > 5 ? {value} : v.z;",
    ])  # fmt: skip
    before = one(["", "", "", f"v.{lane} += b[i].{other}; ", f"if (a[i].{lane} == 5) continue; ", "v = v.wzyx; "])
    head = one(["for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; --i)", "for (uint i = lead; i < n; i++)"])
    last = one(["    c[90] = v;\n", "    c[90].zw += v.xy;\n", ""])
    return f"    int4 v = (int4)(1, n, 3, lead);\n    {head} {{ {before}{store} }}\n{last}"
