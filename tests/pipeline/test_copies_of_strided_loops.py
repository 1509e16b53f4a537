"""Advice for loops whose accesses lie apart, but so near that copies of the loop share requests."""

import pytest

from burstline_model.estimate.changes import MoreCopies
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.changes import action_text
from burstline_server.words.findings import message_text
from tests.assessing import assess

LOOP = """
typedef struct {{ float x, y, z, w; }} item;
typedef struct {{ int key; double val; }} record;
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const {type} *restrict a, __global {out} *restrict y, int n)
{{
    {pragma}
    for (int i = 0; i < n; {step})
        y[i] = a[i]{field};
}}
"""
FORMS = {
    "every second": {"type": "float", "out": "float", "step": "i += 2", "field": ""},
    "a field of four": {"type": "item", "out": "float", "step": "i++", "field": ".x"},
    "half of a record": {"type": "record", "out": "double", "step": "i++", "field": ".val"},
}
SETTINGS = {"arguments": {"n": 1 << 20}, "f_max_mhz": 400.0}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_copies_that_share_words_are_advised_with_the_time_of_the_unrolled_text(form: dict[str, str]) -> None:
    (kernel,) = assess(LOOP.format(pragma="", **form), **SETTINGS).kernels
    first = kernel.estimate.levers[0]
    assert isinstance(first.change, MoreCopies)
    unrolled = LOOP.format(pragma=f"#pragma unroll {first.change.copies}", **form)
    after = assess(unrolled, **SETTINGS).kernels[0].estimate.time_s
    assert first.after_s == pytest.approx(after, rel=0.02)
    assert kernel.estimate.time_s is not None
    assert first.after_s is not None
    assert first.after_s < 0.85 * kernel.estimate.time_s


def test_elements_far_apart_are_not_to_be_unrolled() -> None:
    text = LOOP.format(pragma="", type="float", out="float", step="i += 64", field="")
    (kernel,) = assess(text, **SETTINGS).kernels
    assert not any(isinstance(lever.change, MoreCopies) for lever in kernel.estimate.levers)


def test_a_loop_with_a_pragma_is_advised_its_new_factor() -> None:
    form = {"type": "float", "out": "float", "step": "i++", "field": ""}
    (kernel,) = assess(LOOP.format(pragma="#pragma unroll 4", **form), **SETTINGS).kernels
    assert action_text(kernel.estimate.levers[0].change) == "unroll the loop by 16 in place of 4"


OWN_ROWS = """
__kernel void rows(__global const float *restrict x, __global float *restrict y)
{
    const int m = get_global_id(0);
    float largest = -1e30f;
    for (int i = 0; i < 512; i++)
        largest = fmax(largest, x[m * 512 + i]);
    y[m] = largest;
}
"""


def test_a_loop_that_asks_the_memory_for_parts_of_words_does_not_hold_up_other_blocks() -> None:
    done = assess(OWN_ROWS, global_size=1 << 16)
    found = findings_of(done)
    (text,) = [message_text(one) for one in found if one.code == "BL402"]
    assert text.startswith("neighbouring iterations ask for parts of one word: unroll the loop by ")
