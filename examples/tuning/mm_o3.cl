// burstline: global_size=(2048,2048) width=2048 f_max_mhz=160
// What the compiler's resource-driven optimisation chose: more lanes and copies for a kernel that waits for memory,
// and a slower clock for all the logic they take.
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(2)))
__attribute__((num_compute_units(4)))
__kernel void mm_o3(__global const float *a, __global const float *b, __global float *c, const int width)
{
    const int row = get_global_id(0), column = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < width; k++)
        sum += a[row * width + k] * b[k * width + column];
    c[row * width + column] = sum;
}
