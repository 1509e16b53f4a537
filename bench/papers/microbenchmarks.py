"""Kernels of the shapes of FFD's Table 3: eight loads and many operations, in order or not, with a branch or not."""

from __future__ import annotations

LOADS = range(8)
_HEAD = (
    "// burstline: board=pac_a10 aoc_version=19.4 n={n}\n__attribute__((max_global_work_dim(0)))\n"
    "__kernel void k(__global const int *restrict at, {loaded}, __global float *restrict z, const int n)\n{{\n"
    "    for (int i = 0; i < n; i++) {{\n        float s = 0.0f;\n{body}        z[i] = s;\n    }}\n}}\n"
)
_LOADED = ", ".join(f"__global const float *restrict x{k}" for k in LOADS)
_STEP = "        s = (((s + v{k}) * 1.5f + 0.5f) * v{k} + 0.25f) * 1.25f + v{k} * v{k} * 0.5f;\n"
_SHORT_STEP = "                s = (s + v{k}) * 1.25f + v{k} * v{k} * 0.5f + 0.25f;\n"


def _plain(index: str) -> str:
    """Eight loads an iteration and ten operations for each of them."""
    loads = "".join(f"        float v{k} = x{k}[p];\n" for k in LOADS)
    body = f"        const int p = {index};\n{loads}" + "".join(_STEP.format(k=k) for k in LOADS)
    return _HEAD.format(n=1 << 26, loaded=_LOADED, body=body)


def _branching(index: str) -> str:
    """The same loads behind a condition in a loop inside, six operations for each, and a sum that goes through them."""
    loads = "".join(f"                float v{k} = x{k}[p];\n" for k in LOADS)
    body = (
        "        for (int j = 0; j < 64; j++) {\n"
        f"            const int p = {index};\n            if (at[p] > 0) {{\n{loads}"
        + "".join(_SHORT_STEP.format(k=k) for k in LOADS)
        + "            }\n        }\n"
    )
    return _HEAD.format(n=1 << 20, loaded=_LOADED, body=body)


MICROBENCHMARKS = {
    "AI10 R": _plain("i"), "AI10 IR": _plain("at[i]"),
    "AI6 for-if R": _branching("i * 64 + j"), "AI6 for-if IR": _branching("at[i * 64 + j]"),
}  # fmt: skip
