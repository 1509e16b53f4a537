"""What is said of printf: its buffer is the compiler's, so the only change is to remove it."""

import pytest

from burstline_model.estimate.changes import LessHardware
from burstline_server.cli.text import text
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

KERNEL = """__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void traced(__global const float *restrict a, __global float *restrict o)
{{
    int i = get_global_id(0);
    {first}
    o[i] = a[i] * 2.0f;
}}
"""
CALLS = ['printf("work-item %d\\n", i);', 'printf("%d %f %d\\n", i, a[i], i);']


@pytest.mark.parametrize("board", ["s10mx_hbm2", "s10gx_ddr4_1866"])
@pytest.mark.parametrize("call", CALLS)
def test_the_advice_for_printf_is_to_remove_it(call: str, board: str) -> None:
    done = assess(KERNEL.format(first=call), global_size=1 << 20, board=board)
    said = [message_text(one) for one in findings_of(done) if "printf" in message_text(one)]
    assert any("remove printf" in one for one in said)
    assert not any(other in one for one in said for other in ("local memory", "contend", "aligned", "SIMD", "lanes"))
    shown = text([(done, [])])
    assert "64 kB" in shown
    assert "remove printf" in shown
    assert "printf, a" not in shown


def test_without_printf_nothing_is_said_of_it() -> None:
    assert "printf" not in text([(assess(KERNEL.format(first=""), global_size=1 << 20), [])])


def test_a_kernel_that_only_prints_is_assessed() -> None:
    kernel = '__kernel void one(const int n) { printf("%d\\n", n); }'
    assert "64 kB" in text([(assess(kernel, global_size=1024), [])])


def test_printf_goes_before_hardware_that_does_not_fit() -> None:
    loop = """__kernel void k(__global const float *restrict a, __global float *restrict o, int n)
{
    float s[225];
    for (int i = 0; i < n; i++) {
        #pragma unroll 16
        for (int k = 0; k < n; k++) {
            s[224] = s[0] + a[k];
            #pragma unroll
            for (int j = 0; j < 224; j++) {
                s[j] = s[j + 1];
                printf("%d %f\\n", j, s[j]);
            }
        }
        o[i] = s[0];
    }
}
"""
    (kernel,) = assess(loop, arguments={"n": 1024}).kernels
    assert kernel.estimate.levers[0].change == "remove_printf"
    assert not any(isinstance(lever.change, LessHardware) for lever in kernel.estimate.levers)
