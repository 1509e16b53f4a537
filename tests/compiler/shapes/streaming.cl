// Stratix V 17.1
// Compilers up to 17.1 stream a[gid] when nothing decides whether it is read: 10 of 13 distinct loads, 19 stores.

__kernel void add(__global const float *restrict x, __global const float *restrict y, __global float *restrict z)
{
    const int i = get_global_id(0);
    z[i] = x[i] + y[i];
//  ^^^^ Streaming 32
    //     ^^^^ Streaming 32
    //            ^^^^ Arria 10 16.1: Streaming 32
    //            ^^^^ Arria 10 19.4: Burst-coalesced 32
    //            ^^^^ Stratix 10 18.1: Burst-coalesced 32
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void vectorised(__global const float *restrict x, __global float *restrict z)
{
    const int i = get_global_id(0);
    z[i] = x[i];
    //     ^^^^ Streaming 128
}

__kernel void returns_early(__global const float *restrict x, __global float *restrict z, const int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    z[i] = x[i];
    //     ^^^^ Streaming 32
}

__kernel void under_a_condition(__global const float *restrict x, __global float *restrict z, const int n)
{
    const int i = get_global_id(0);
    if (i < n)
        z[i] = x[i];
    //         ^^^^ Burst-coalesced 32
}
