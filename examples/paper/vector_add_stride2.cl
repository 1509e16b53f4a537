// Vector addition over every second element: half of every burst is fetched and thrown away.

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void vector_add_stride2(__global const float *restrict x,
                                 __global const float *restrict y,
                                 __global float *restrict z)
{
    const int id = get_global_id(0);
    z[2 * id] = x[2 * id] + y[2 * id];
}
