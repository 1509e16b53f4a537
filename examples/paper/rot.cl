// A plane rotation of two vectors, out of place for each of them: two loads and two stores.

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void rot(__global const float *restrict x,
                  __global const float *restrict y,
                  __global float *restrict turned_x,
                  __global float *restrict turned_y,
                  const float cosine,
                  const float sine)
{
    const int id = get_global_id(0);
    const float a = x[id];
    const float b = y[id];
    turned_x[id] = cosine * a + sine * b;
    turned_y[id] = cosine * b - sine * a;
}
