"""What fuzzing starts from: the kernels of this repository, and the words of their language."""

from __future__ import annotations

from pathlib import Path

from burstline_server.language.vocabulary import vocabulary

ROOT = Path(__file__).resolve().parents[2]
KERNELS = tuple(
    path.read_text("utf-8")
    for folder in ("examples", "tests/analysis", "tests/compiler", "tests/explore")
    for path in sorted((ROOT / folder).rglob("*.cl"))
)
MACROS = """#define N 8
#define AT(i, ...) x[(i) * N + __LINE__] __VA_ARGS__
#define PASTE(a, b) a##b
#define TEXT(a) #a
#if defined(N) && N > 4 || !defined WIDTH
#define PIECE(n) for (int n = 0; n < N; n++) { AT(n) = PASTE(y, 0)[n]; }
#elif WIDTH
#define PIECE(n)
#else
#error none
#endif
typedef struct __attribute__((packed)) { float a; union { int4 b; short c[3]; }; } item;
channel float c0 __attribute__((depth(8)));
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((num_simd_work_items(4)))
void k(__global float *restrict x, __global const float *y0, __constant item *t, int n, local int *l)
{
    PIECE(i)
    // burstline: trip=7 f_max=240 global_size=(64, 2) bank[x]=1
    #pragma unroll N
    for (int j = get_global_id(0); j < n; j += get_local_size(0)) x[j] += t[j & 7].a;
    while (n--) { if (x[n] > 1) continue; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&l[n % 3], 1); break; }
    do { write_channel_intel(c0, vload4(n, x).s1); } while (n ? 1 : 0);
    switch (n) { case 1: return; default: x[y0[n] > 0 ? 1 : n << 2] = mem_fence(1), 3; }
}
"""
"""A kernel with some of everything."""
PIECES = (
    "#define N 4\n", "#define F(a) a a\n", "#define F(a, b) a##b #b\n", "#undef N\n", "#if 1\n", "#if N > (", "#else\n",
    "#elif 0\n", "#endif\n", "#include \"a.h\"\n", "#include N\n", "#pragma unroll\n", "#pragma unroll 4\n",
    "#pragma ivdep array(x) safelen(4)\n", "#pragma ii 1\n", "#pragma pack(1)\n", "_Pragma(\"unroll 2\")", "/*", "*/",
    "//", "__attribute__((", "))", "[[intel::ivdep(x, 4)]]", "struct s { int a; struct s *b; };\n", "x[i]", "x->a.b[0]",
    "(float4)(0)", "(int)", "sizeof(", "for (int i = 0; i < n; i++) ", "for (;;) ", "while (i < n) ", "do ", "if (n) ",
    "else ", "switch (n) { case 1: }", "i = i * 2 + 1;", "i += n % 3;", "x += 2;", "x = &y[n];", "++", "--", "<<", ">>",
    "/", "%", "?", ":", "= {1, 2, {3}}", "[-1]", "[n][n]", "*", "&",
    "__kernel void k2(__global int *p) { p[0] = 1; }\n",
    "static int f(int a) { return f(a - 1); }\n", "f(n)", "enum { A = 1 << 31, B };\n", "typedef int t;\n", "return",
    "goto out;", "out:", "// burstline: n=4 trip=8 global_size=(8) board=p385a\n", "// burstline: ignore BL102\n",
    "vload4(i, x)", "vstore4(v, i, x)", "prefetch(x, 4);", "__burst_coalesced_load(&x[i])", "{% for a in b %}",
    "(", ")", "{", "}", "[", "]", ";", ",", ".", "->", "#", "##", "\"", "'", "\\\n",
)  # fmt: skip
STATEMENTS = (
    "\n", "// note\n", "/* a\nnote */\n", "    int a = N;\n", "    x[i] += 2;\n", "    x[AT(1)] = 1;\n", "    }\n",
    "    {\n",
    "#pragma unroll 2\n", "    for (int j = 0; j < 4; j++) {\n", "    #pragma ivdep\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "static float more(__global float *p) { return p[1]; }\n", "__constant int q[2] = {1, 2};\n", "#define M 3\n",
    "    ;\n",
    "__kernel void z(__global int *restrict x)\n{\n    x[0] = 1;\n}\n", "typedef float real;\n",
    "struct t { int a; };\n",
    "// burstline: trip=4\n", "__attribute__((num_simd_work_items(2)))\n", "    float f = first(x);\n", "\r\n",
    "    x[__LINE__] = 1;\n",
)  # fmt: skip
"""Lines that leave most texts whole."""
WORDS = (*PIECES, *sorted({name for _, name in vocabulary()}))
