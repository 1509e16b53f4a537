// Stratix 10 18.1
// Compilers 17.1 to 18.1 make a store wait for its acknowledgement when a later access of the buffer may depend on it
// (45 units); from 19.3 on none does (0 of 550), the same kernels among them.

__kernel void guide_write_ack(__global const int *restrict in, __global int *restrict out, const int n)
{
    for (int i = 0; i < n; i++) {
        if (i < 2)
            out[i] = 0;
    //      ^^^^^^ Burst-coalesced write-ack 32
    //      ^^^^^^ Stratix 10 19.3: Burst-coalesced 32
        out[i] = in[i];
    //  ^^^^^^ Burst-coalesced 32
    }
}

__kernel void in_place(__global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0.5f * y[i];
    //  ^^^^ Burst-coalesced 32
}

__kernel void histogram(__global const uchar *restrict in, __global uint *restrict bins, const int n)
{
    for (int i = 0; i < n; i++)
        bins[in[i]] += 1;
    //  ^^^^^^^^^^^ Burst-coalesced write-ack 32
    //  ^^^^^^^^^^^ Stratix 10 20.4: Burst-coalesced 32
}

__kernel void chain(__global float *restrict y, const int n)
{
    for (int i = 1; i < n; i++)
        y[i] = y[i] + y[i - 1];
    //  ^^^^ Burst-coalesced write-ack 32
}

__kernel void rest_of_the_vector(__global const float *restrict x, __global float *restrict y, const int n)
{
    int i = 0;
    #pragma unroll 16
    for (; i < n / 16 * 16; i++)
        y[i] = x[i];
    //  ^^^^ Burst-coalesced write-ack 512
    for (int k = n / 16 * 16; k < n; k++)
        y[k] = x[k];
    //  ^^^^ Burst-coalesced 32
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void scatter(__global const int *restrict at, __global const float *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[at[i]] = in[i];
//  ^^^^^^^^^^ Burst-coalesced write-ack 32 x3 + Burst-coalesced 32
//  ^^^^^^^^^^ Stratix 10 19.4: Burst-coalesced 32 x4
}

__kernel void never_the_same(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0f)
            y[16 * i] = x[i];
    //      ^^^^^^^^^ Burst-coalesced 32
        if (x[i] < 0.0f)
            y[16 * i + 8] = -x[i];
    //      ^^^^^^^^^^^^^ Burst-coalesced 32
    }
}

__kernel void now_and_then_the_same(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        y[2 * i] = x[i];
    //  ^^^^^^^^ Burst-coalesced write-ack 32
        if (x[i] < 0.0f)
            y[2 * i + 2] = -x[i];
    //      ^^^^^^^^^^^^ Burst-coalesced 32
    }
}

// Two stores of one loop at addresses that nobody can compare: an iteration of either may come before the other's.
channel int first_at, second_at;

__kernel void collected(__global int *y, const int n)
{
    for (int i = 0; i < n; i++) {
        y[read_channel_intel(first_at)] = i;
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced write-ack 32
        y[read_channel_intel(second_at)] = i;
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced write-ack 32
    }
}

// The same loop in a single work-item and in an NDRange kernel: only the first waits.
__kernel void halves(__global float *restrict y, const int n, const int m)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            y[i * n + j] /= 2.0f;
    //      ^^^^^^^^^^^^ Burst-coalesced write-ack 32
    //      ^^^^^^^^^^^^ Cyclone V 18.1: Burst-coalesced 32
}

__kernel void halves_of_items(__global float *restrict y, const int n, const int m)
{
    const int j = get_global_id(0);
    for (int i = 0; i < m; i++)
        y[i * n + j] /= 2.0f;
    //  ^^^^^^^^^^^^ Burst-coalesced 32
}
