"""What is advised where requests start off their words: only what the text lets one do."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import Align
from burstline_server.words.changes import action_text
from tests.assessing import assess

HEAD = "__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((num_simd_work_items(16)))\n__kernel void k("
BODY = "{ int i = get_global_id(0), r = get_global_id(1); "


def kernel(arguments: str, statement: str) -> str:
    buffers = "__global const float *restrict a, __global float *restrict b"
    return f"{HEAD}{buffers}{arguments})\n{BODY}{statement} }}\n"


def advised(text: str) -> list[str]:
    settings = {"board": "p520", "arguments": {"n": 1030}, "global_size": [1024, 10240]}
    (one,) = assess(text, **settings).kernels
    return [action_text(lever.change) for lever in one.estimate.levers if isinstance(lever.change, Align)]


@pytest.mark.parametrize(
    ("arguments", "statement", "action"),
    [
        ("", "b[r * 1024 + i] = a[r * 1024 + i + 1];", "put 15 unused elements in front of a"),
        (", int n", "b[r * 1024 + i] = a[r * 1024 + i + n];", "pass n in units of 16 elements of a (16 * n)"),
        ("", "b[r * 1024 + i] = a[r * 1030 + i];", "pad the rows of a to 1040 elements"),
        (", int n", "b[r * n + i] = a[r * 1024 + i];", "pad the rows of b to a multiple of 16 elements (n = 16 * …)"),
        (
            ", int n",
            "b[r * 1024 + i] = a[r * n + i + 1];",
            "load whole words of a, and take each request from two of them",
        ),
    ],
    ids=["constant", "argument", "constant row", "row of a store", "several"],
)
def test_what_keeps_requests_off_words_says_what_to_do(arguments: str, statement: str, action: str) -> None:
    assert advised(kernel(arguments, statement)) == [action]


def test_a_store_that_nothing_aligns_gets_no_advice_to_align() -> None:
    assert advised(kernel(", int n", "b[r * n + i + 1] = a[r * 1024 + i];")) == []


def test_elements_in_front_suit_all_that_reads_the_buffer() -> None:
    text = kernel("", "b[r * 1024 + i] = a[r * 1024 + i + 1] + a[r * 1024 + i + 500001];")
    other = text.replace("500001", "500002")
    assert "put 15 unused elements in front of a" not in advised(other)


@pytest.mark.parametrize(
    ("address", "action"),
    [
        ("(z * m + r) * n + i", "pad the rows of a to a multiple of 16 elements (n = 16 * …)"),
        ("(m + r) * n + i", "pad the rows of a to a multiple of 16 elements (n = 16 * …)"),
        ("z * m + r * n + i", "pad the rows of a to a multiple of 16 elements (m and n = 16 * …)"),
        ("z * 1030 + r * n + i", "load whole words of a, and take each request from two of them"),
        ("m * n + r * 1024 + i", "load whole words of a, and take each request from two of them"),
        ("m + n + r * 1024 + i", "pass m and n in units of 16 elements of a (16 * m, …)"),
    ],
)
def test_an_argument_is_named_where_all_that_is_off_is_a_multiple_of_it(address: str, action: str) -> None:
    text = kernel(", int m, int n", f"int z = get_global_id(2); b[(z * 1024 + r) * 1024 + i] = a[{address}];")
    settings = {"board": "p520", "arguments": {"m": 1030, "n": 1030}, "global_size": [1024, 1024, 10]}
    (one,) = assess(text, **settings).kernels
    assert [action_text(lever.change) for lever in one.estimate.levers if isinstance(lever.change, Align)] == [action]
