"""Kernels that would reach out of the interpreter, or never come back from it."""

from __future__ import annotations

import sys
import time

import pytest

from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.verdicts import Equal, NotExecuted, Verdict
from burstline_server.source.read import read_source

PATIENCE_S = 20.0


def compared(body: str, before: str = "") -> Verdict:
    """What comes of a kernel that is compared with itself."""
    source = read_source(f"{before}\n__kernel void k(__global int *c, int n) {{ {body} }}", "k.cl")
    return equal(source, "k", Edited(source, ("k",), {}), budget_s=0.5)


@pytest.mark.parametrize(
    "name", ["__import__", "__builtins__", "T", "c", "Block", "v1", "f0", "None", "lambda", "print", "é"]
)
def test_names_of_the_text_are_no_names_of_the_generated_code(name: str) -> None:
    text = f"int {name} = n + 1; c[1] = {name} * 2;" if name != "c" else "c[1] = n;"
    assert isinstance(compared(text, f"int helper_{name}(int a) {{ return a; }}"), Equal)


def test_no_text_of_the_user_is_compiled() -> None:
    seen = []
    sys.addaudithook(lambda event, arguments: seen.append(str(arguments[0])) if event == "compile" else None)
    text = """channel int marked_channel;
struct marked_struct { int marked_field; };
int marked_function(int marked_argument) { return marked_argument; }
__kernel void marked_kernel(__global int *marked_buffer) {
    struct marked_struct marked_value = { 3 };
    char marked_array[] = "marked";
    int marked_sum = marked_function(marked_value.marked_field) + marked_array[1];
    marked_buffer[0] = marked_sum + read_channel_intel(marked_channel);
}"""
    Program(read_source(text, "k.cl")).function("marked_kernel")
    assert any("L_i4" in one for one in seen)
    assert not any("marked" in one for one in seen)


@pytest.mark.parametrize(
    "body",
    [
        "for (;;) c[0] += 1;",
        "while (1) ;",
        "int t[1 << 30]; t[n] = 1; c[0] = t[n];",
        "for (int i = 0; i < 30; i++) { int t[1 << 19]; t[i] = i; c[0] += t[i]; }",
        "c[0] = " + "(" * 400 + "n" + ")" * 400 + ";",
        "c[0] = " + " + ".join(["n"] * 3000) + ";",
        "{" * 200 + "c[0] = n;" + "}" * 200,
        "if (n) " * 150 + "c[0] = n;",
        "ulong x = 1; for (int i = 0; i < n * 1000; i++) x = (x << 63) * x + x; c[0] = x;",
        "double x = 1e300; for (int i = 0; i < n * 100; i++) x = x * x; c[0] = isinf(x);",
    ],
)
def test_every_run_ends(body: str) -> None:
    started = time.monotonic()
    assert isinstance(compared(body), Equal | NotExecuted)
    assert time.monotonic() - started < PATIENCE_S


def test_functions_that_call_each_other_are_no_endless_work() -> None:
    found = compared("c[0] = even(n);", "int even(int a); int odd(int a) { return a ? even(a - 1) : 0; }\n"
                     "int even(int a) { return a ? odd(a - 1) : 1; }")  # fmt: skip
    assert isinstance(found, NotExecuted)
    assert found.reason.what == "recursion"
