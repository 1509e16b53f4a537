"""The kernel that editors are tried with."""

KERNEL = """float grown(float by, float what) { return by * what; }

__kernel void scale(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 4096; i++) {
        /* 🚀é */ y[i] = grown(2.0f, x[i]);
    }
}
"""
