// Vector addition: two loads and one store, sixteen lanes, every request one full memory word.

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void vector_add(__global const float *restrict x,
                         __global const float *restrict y,
                         __global float *restrict z)
{
    const int id = get_global_id(0);
    z[id] = x[id] + y[id];
}
