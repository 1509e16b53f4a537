"""Words fetched through addresses and conditions that no step describes: each request is made."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from tests.walk.walking import units

WORD_BYTES = 64
Place = tuple[int, ...]


def _words(addresses: Iterator[int]) -> int:
    """Words that requests for `int` fetch of a unit that holds the word it is at."""
    last, count = -1, 0
    for address in addresses:
        word = 4 * address // WORD_BYTES
        last, count = word, count + (word != last)
    return count


LOOPS: list[tuple[str, str, Callable[[int, int], int], Callable[[int, int], bool]]] = [
    ("", "(i & ~3) * 17 + j * 100", lambda i, j: (i & ~3) * 17 + j * 100, lambda *_: True),
    ("", "(i / 4) * 1024 + j", lambda i, j: i // 4 * 1024 + j, lambda *_: True),
    ("", "(j % 8) * 16 + (j % 3) * 32 + i", lambda i, j: j % 8 * 16 + j % 3 * 32 + i, lambda *_: True),
    (
        "if (j % 4 == 1)",
        "(i ^ 1) * 64 + (j / 4) * 16",
        lambda i, j: (i ^ 1) * 64 + j // 4 * 16,
        lambda _, j: j % 4 == 1,
    ),
    ("if (i < 3)", "j / 4 + min(j * 100, 1600)", lambda _, j: j // 4 + min(j * 100, 1600), lambda i, _: i < 3),
    ("if (j <= i)", "i * 64 + (j ^ 15)", lambda i, j: i * 64 + (j ^ 15), lambda i, j: j <= i),
]


@pytest.mark.parametrize("size", [24, 160])
@pytest.mark.parametrize(("condition", "index", "address", "holds"), LOOPS)
def test_nested_loops_fetch_what_their_requests_do(
    condition: str, index: str, address: Callable[[int, int], int], holds: Callable[[int, int], bool], size: int
) -> None:
    text = f"""
    __attribute__((max_global_work_dim(0)))
    __kernel void filled(__global int *restrict out)
    {{
        #pragma unroll 1
        for (int i = 0; i < {size}; i++)
            #pragma unroll 1
            for (int j = 0; j < {size}; j++)
                {condition} out[{index}] = 1;
    }}
    """
    walk = units(text)["store out"].walk
    assert walk is not None
    order = product(range(size), range(size))
    fetched = _words(address(i, j) for i, j in order if holds(i, j)) * WORD_BYTES
    # Of few requests all are made; of many some, which may miss a part.
    assert walk.fetched_bytes == pytest.approx(fetched, rel=0.001 if size == 24 else 0.15)


def test_pairs_of_work_items_fetch_the_words_that_one_of_each_touches() -> None:
    text = """
    __kernel void swapped(__global int *restrict out, __global const int *restrict in)
    {
        int low = get_global_id(0), high = low ^ 16;
        if (high > low && (low & 64) == 0)
            out[high] = in[low];
    }
    """
    store = units(text, global_size=[1 << 20], local_size=[256])["store out"].walk
    assert store is not None
    # One of two words of 16 items, in each second 64 items.
    assert store.fetched_bytes == (1 << 20) * 4 / 4


def test_strides_that_grow_in_a_loop_are_added_up() -> None:
    text = """
    __kernel void tree(__global int *restrict data)
    {
        int id = get_global_id(0);
        for (int stride = 1; stride < 4096; stride *= 2) {
            if (id % (2 * stride) == 0)
                data[id] += data[id + stride];
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    }
    """
    store = units(text, global_size=[16384], local_size=[256])["store data"].walk
    assert store is not None
    steps = [1 << n for n in range(12)]
    fetched = sum(_words(iter(range(0, 16384, 2 * stride))) for stride in steps) * WORD_BYTES
    assert store.fetched_bytes == pytest.approx(fetched, rel=0.3)
    assert store.requests == pytest.approx(sum(16384 // (2 * stride) for stride in steps), rel=0.01)


def test_work_items_that_share_an_address_fetch_its_word_once() -> None:
    text = """
    __kernel void shared(__global int *restrict out)
    {
        for (int i = 0; i < 1000; i++)
            out[i ^ 3] = get_local_id(0);
    }
    """
    store = units(text, global_size=[1 << 16], local_size=[256])["store out"].walk
    assert store is not None
    fetched = (1 << 16) / 256 * _words(iter(i ^ 3 for i in range(1000))) * WORD_BYTES
    assert store.fetched_bytes == pytest.approx(fetched, rel=0.05)


@pytest.mark.parametrize("passed", [0, 1, 2, 3])
def test_distances_that_shifts_by_arguments_give_are_followed(passed: int) -> None:
    text = """
    __kernel void halves(__global int *restrict out, int stage, int passed)
    {
        int id = get_global_id(0), apart = 1 << (stage - passed);
        out[id % apart + id / apart * 2 * apart] = id;
    }
    """
    launch = {"global_size": [1 << 16], "local_size": [256], "arguments": {"stage": 4, "passed": passed}}
    store = units(text, **launch)["store out"].walk
    assert store is not None
    apart = 1 << (4 - passed)
    fetched = _words(i % apart + i // apart * 2 * apart for i in range(1 << 16)) * WORD_BYTES
    assert store.fetched_bytes == pytest.approx(fetched, rel=0.01)


@pytest.mark.parametrize("items", [2048, 1 << 20])
def test_windows_that_reach_into_the_next_word_fetch_each_word_once(items: int) -> None:
    text = """
    __kernel void k(__global const int *restrict a, __global int *restrict out)
    {
        int i = get_global_id(0);
        if (i % 480 != 0 && i % 480 != 479)
            out[i] = a[i - 1] + a[i] + a[i + 1];
    }
    """
    walk = units(text, global_size=[items])["load a"].walk
    assert walk is not None
    assert walk.fetched_bytes == pytest.approx(4 * items, rel=0.02)
