// Cyclone V 16.1
// Arguments in constant memory are read through one cache, by units that are merged as those of global memory are.

__kernel void weighted(__constant float *restrict w, __constant float *restrict x, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = x[2 * i] * w[0] + x[2 * i + 1] * w[1];
    //       ^^^^^^^^ Pipelined 64
    //                  ^^^^ Simple 64
    //                  ^^^^ Arria 10 17.1: Pipelined 64
    //                         ^^^^^^^^^^^^ merged
    //                                        ^^^^ merged
}

__attribute__((num_simd_work_items(4)))
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void again(__constant float *restrict x, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = x[i] + sin(3.0f * x[i]);
    //       ^^^^ Pipelined 128
    //                         ^^^^ merged
}

__constant float table[16] = { 1.0f };

__kernel void from_the_file(__global const int *restrict which, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = table[which[i] & 15];
    //       ^^^^^^^^^^^^^^^^^^^^ Pipelined 32
}
