// burstline: global_size=(2048,2048) width=2048 f_max_mhz=220
// Matrix product: staged tiles, the inner product unrolled.
#define TILE 64

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
__kernel void mm_local_unrolled(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                 const int width)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int t = 0; t < width; t += TILE) {
        left[y][x] = a[row * width + t + x];
        right[y][x] = b[(t + y) * width + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * width + column] = sum;
}
