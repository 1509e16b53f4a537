// z = a·x + y, out of place: three pointers, three load/store units.

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void axpy(const float a,
                   __global const float *restrict x,
                   __global const float *restrict y,
                   __global float *restrict z)
{
    const int id = get_global_id(0);
    z[id] = a * x[id] + y[id];
}
