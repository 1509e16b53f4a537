"""Forms of awkward kernels over work-items that read neighbours of their own place."""

from __future__ import annotations

import random

OWN = 300
"""Where the place of the first work-item is, so that its neighbours are in the buffer."""


def around(draw: random.Random) -> str:
    """The body of a kernel whose work-items read neighbours in a row, or in a plane."""
    one = draw.choice
    planes, near = draw.random() < 0.7, draw.randint(1, 2)
    pitch = one(["70", "70", "(n + 3)", "n", "(lead + 66)"]) if planes else ""
    type_ = one(["int", "int", "int", "size_t", "long", "uint"])
    ids = f"    const {type_} x = get_global_id(0), y = get_global_id(1);\n"
    taps = [(draw.randint(-near, near) if planes else 0, draw.randint(-near, near)) for _ in range(draw.randint(2, 6))]

    def at(row: int | str, column: int | str) -> str:
        down = f"(y + ({row}))" if row else "y"
        own = f"({OWN} + {column})" if column else str(OWN)
        return f"a[{down} * {pitch} + x + {own}]" if planes else f"a[x + {own}]"

    limits = ["x > 0", "x < n - 1", "x >= 1", "x + 1 < n", "n > x", "x <= 40", "2 <= x", "x != 3", "x < lead * 9",
              "x >= lead", "n > 2", "!(x < 2)"]  # fmt: skip
    limits += ["y > 0", "y < n - 1", "y < 20", "y < n", "1 <= y"] if planes else []
    several = " && ".join(draw.sample(limits, draw.randint(1, 3)))
    value = " + ".join(f"({one(limits)} ? {at(*tap)} : {tap[1]})" if draw.random() < 0.15 else at(*tap) for tap in taps)
    loops = (
        f"for (int r = -1; r < 2; r++) for (int q = 0; q <= {near}; q++) v += {at('r' if planes else 0, 'q - 1')} * q;"
    )
    if draw.random() < 0.2:
        value += " + v"
    else:
        loops = ""
    place = f"c[{'y * 64 + ' if planes else ''}x]"
    store = f"{place} = {value};"
    body = {
        0: f"    {loops} {store}\n",
        1: f"    if ({several}) {{ {loops}\n        {store}\n    }}\n",
        2: f"    if (!({several})) return;\n    {loops} {store}\n",
        3: f"    if ({one(limits)})\n        if ({several}) {store}\n",
        4: f"    if ({several}) {store}\n    else {place} = {at(0, 1)};\n",
        5: f"    if (b[x & 7] > 9) {store}\n",
    }[one([0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5])]
    before = one(["", "", "", "    int in_[2] = {n, 1}; v += in_[lead & 1];\n", "    n += 0;\n"])
    return ids + before + body
