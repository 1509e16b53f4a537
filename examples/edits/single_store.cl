// burstline: global_size=(1048576) local_size=(64)
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void limit(__global const float *restrict x, __global const int *restrict at, __global float *restrict y)
{
    const int i = at[get_global_id(0)];
    y[i] = x[i];
    if (x[i] > 1.0f)
        y[i] = 1.0f;
}
