"""Which arguments a host program passes the same value as in every run, and which it may not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from burstline_server.host.c_host import launches_in_c
from burstline_server.host.python_host import launches_in_python

HOST = """{before}
int main(int argc, char **argv) {{
    {first}
    cl_kernel k = clCreateKernel(program, "product", &status);
    clSetKernelArg(k, 0, sizeof(cl_mem), &a);
    clSetKernelArg(k, 1, sizeof(cl_int), &n);
    size_t whole = 1;
    clEnqueueNDRangeKernel(queue, k, 1, NULL, &whole, NULL, 0, NULL, NULL);
    {last}
}}
"""
STEP = "#define STEP(a, b) { b++; \\\n a; }"


def fixed(before: str, first: str, last: str, *, references: bool) -> int | None:
    """The value that is passed at position 1 in every run."""
    text = HOST.format(before=before, first=first, last=last)
    (launch, *_) = launches_in_c(text.encode(), references=references)
    assert (launch.count == 2) == bool(launch.fixed) or not launch.fixed
    return next((value for at, (value, _) in launch.fixed.items() if at == 1), None)


@pytest.mark.parametrize(
    ("before", "first", "last"),
    [
        ("", "int n = 16;", ""),
        ("", "int n; n = 16;", ""),
        ("", "const int n = 16; show(argc, n);", ""),
        ("", "int n = 16; int m = 16;", "clSetKernelArg(k, 1, 4, &m);"),
        ("", "const unsigned int n = 4 * 4;", ""),
        ("", 'int n = 16; printf("%d", n);', ""),
        ("#define n 16", "", ""),
        ("const int N = 32;", "int n = N / 2;", ""),
        ("static int N = 32;", "int n = (int)N >> 1;", ""),
        ("#ifndef H\n#define H\n#define N 32\n#endif", "int n = N - 0x10;", ""),
        (STEP, "int n = 16; STEP(n, m);", ""),
    ],
)
def test_a_value_of_every_run(before: str, first: str, last: str) -> None:
    assert fixed(before, first, last, references=True) == 16
    assert fixed(before, first, last, references=False) == 16


@pytest.mark.parametrize(
    ("before", "first", "last"),
    [
        ("", "int n = 16; if (argc > 1) n = atoi(argv[1]);", ""),
        ("", "int n = argc > 1 ? atoi(argv[1]) : 16;", ""),
        ("", 'int n = 16; scanf("%d", &n);', ""),
        ("", "int n = 16; int *p = &n; *p = 4;", ""),
        ("", "int n = 16; std::cin >> n;", ""),
        ("", "int n = 16; int &r = n; r = 4;", ""),
        ("", "int n = 16; options.n = 4;", ""),
        ("", "for (int n = 16; n < 64; n *= 2) {", "}"),
        ("", "int n = 16; n = 32;", ""),
        ("", "int n = 16; parse(argc, n);", ""),
        ("", "float n = 16;", ""),
        ("", "int n = 16.0;", ""),
        ("", "int n;\n#ifdef LARGE\nn = 16;\n#endif\n", ""),
        ("#ifndef n\n#define n 16\n#endif", "", ""),
        ("#define n 16\n#undef n", "", ""),
        ("int n = 16;", "", ""),
        ("void run(int n);", "int n = 16;", ""),
        ("#define NEXT n++", "int n = 16; NEXT;", ""),
        ("#define STEP(...) f(__VA_ARGS__)", "int n = 16; STEP(n);", ""),
        ("#define STEP(a) a ## 1", "int n = 16; STEP(n);", ""),
        (STEP, "int n = 16; STEP(m, n);", ""),
        # Another value, or somebody else who may set the argument.
        ("", "int n = 16;", "clSetKernelArg(k, 1, 4, &m);"),
        ("", "int n = 16;", "clSetKernelArg(k, at, 4, &m);"),
        ("", "int n = 16;", "set(k);"),
        ("", "int n = 16;", "cl_kernel j = k; clSetKernelArg(j, 1, 4, &z);"),
        ("", "int n = 16;", "held = k;"),
        ("", "int n = 16;", "add(&k);"),
        ("", "int n = 16;", 'k = clCreateKernel(program, "other", 0);'),
        ("", "int n = 16;", 'l = clCreateKernel(program, "product", 0); clSetKernelArg(l, i, 4, &z);'),
        ("", 'int n = 16; const char *name = "product";', ""),
        ("void s(cl_kernel j) { clSetKernelArg(j, 1, 4, &z); }", "int n = 16;", ""),
    ],
)
def test_what_may_be_another_value(before: str, first: str, last: str) -> None:
    assert fixed(before, first, last, references=True) is None
    assert fixed(before, first, last, references=False) is None


def test_in_c_a_function_that_is_declared_changes_no_variable() -> None:
    host = "int parse(int, int);", "int n = 16; parse(argc, n);", ""
    assert fixed(*host, references=False) == 16
    assert fixed(*host, references=True) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("N = 16\n{call}", True),
        ("N = 2 * 8\nprg.k.set_scalar_arg_dtypes([None, np.int32])\n{call}", True),
        ("N = 16\nif x:\n    N = int(argv[1])\n{call}", False),
        ("N = 16\nN += 1\n{call}", False),
        ("N, M = 16, 4\n{call}", False),
        ("for N in (16,):\n    {call}", False),
        ("with x as N:\n    {call}\nN = 16", False),
        ("def run(N):\n    {call}\nN = 16", False),
        ("from sizes import N\nN = 16\n{call}", False),
        ("N = 16\n{call}\nprg.k(q, (1,), None, a, np.int32(17))", False),
        ("N = 16\nkernel = prg.k\n{call}", False),
        ("N = 16\nkernel = cl.Kernel(prg, 'k')\n{call}", False),
        ("N = 16\n{call}\nprg.k(q, (1,), None, *rest)", False),
    ],
)
def test_python(text: str, found: bool) -> None:
    call = "prg.k(q, (1,), None, a, np.int32(N))"
    (launch, *_) = launches_in_python(f"import pyopencl as cl\n{text.format(call=call)}\n".encode())
    assert [value for value, _ in launch.fixed.values()] == ([16] if found else [])


def test_chains_of_names_are_looked_through_once() -> None:
    names = [f"a{at}" for at in range(200)]
    lines = [f"int {two} = {one} + {one} - {one};" for one, two in pairwise(names)]
    # Deeper than names are followed.
    assert fixed("", f"int a0 = 16; {' '.join(lines)} int n = a199;", "", references=True) is None
    assert fixed("", f"int a0 = 16; {' '.join(lines[:8])} int n = a8;", "", references=True) == 16
    assert fixed("", "int n = m; int m = n;", "", references=True) is None
    python = "\n".join(
        ["import pyopencl", "a0 = 16", *(f"{line[4:-1]}" for line in lines), "prg.k(q, (1,), None, a, a199)"]
    )
    assert launches_in_python(python.encode())[0].fixed == {}
