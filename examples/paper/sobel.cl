// The memory side of an edge filter over a frame: the pixel, its threshold, and the edge, four lanes wide.

__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void sobel(__global const int *restrict frame,
                    __global const int *restrict threshold,
                    __global int *restrict edges)
{
    const int id = get_global_id(0);
    const int light = (frame[id] & 255) + ((frame[id] >> 8) & 255) + ((frame[id] >> 16) & 255);
    edges[id] = light > threshold[id] ? 255 : 0;
}
