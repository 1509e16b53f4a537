// Stratix 10 19.4
// Work-items that walk a range which others may walk as well: both tile loads of a matrix product (10 of 10),
// and the guide's out[N*gid + i] = in[i]. A gather by a loaded index is not cached on Stratix 10 (0 of 412).

#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
__kernel void matrix_product(__global float *restrict c, __global float *a, __global float *b, const int width)
{
    __local float left[TILE][TILE];
    __local float right[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int first = width * TILE * get_group_id(1);
    float sum = 0.0f;
    for (int t = 0; t < width; t += TILE) {
        left[y][x] = a[first + t + width * y + x];
    //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
        right[y][x] = b[(t + y) * width + TILE * get_group_id(0) + x];
    //                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

__kernel void guide_cached(__global const int *restrict in, __global int *restrict out, const int count)
{
    const int gid = get_global_id(0);
    for (int i = 0; i < count; i++)
        out[count * gid + i] = in[i];
    //                         ^^^^^ Burst-coalesced cached 32
    //                         ^^^^^ Cyclone V 18.1: Burst-coalesced cached 32
    //                         ^^^^^ Cyclone V 15.1: Burst-coalesced cached 32
    //                         ^^^^^ Cyclone V 17.1: Burst-coalesced 32
}

__kernel void guide_plain(__global const int *restrict in, __global int *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[i / 2];
    //       ^^^^^^^^^ Burst-coalesced 32
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void gather(__global const float *restrict in, __global const int *restrict at, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[at[i]];
    //       ^^^^^^^^^ Burst-coalesced 32 x4
    //          ^^^^^ Burst-coalesced 128
}

__kernel void rows(__global const float *restrict in, __global float *restrict out, const int width)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += in[row * width + i];
    //         ^^^^^^^^^^^^^^^^^^^ Cyclone V 18.1: Burst-coalesced 32
    //         ^^^^^^^^^^^^^^^^^^^ Stratix 10 18.1: Burst-coalesced 32
    //         ^^^^^^^^^^^^^^^^^^^ Arria 10 19.4: Burst-coalesced 32
    out[row] = sum;
}

__kernel void together(__global const float *restrict in, __global float *restrict out, const int count)
{
    __local float own[256];
    event_t done = async_work_group_copy(own, in + count * get_group_id(0), count, 0);
    //                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
    //                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 20.4: Burst-coalesced cached 32
    wait_group_events(1, &done);
    out[get_global_id(0)] = own[255 - get_local_id(0)];
}

// By 15.x and 16.x only where the trips are open and no channel is in the kernel.
__kernel void fixed_walk(__global const int *restrict in, __global int *restrict out)
{
    const int gid = get_global_id(0);
    for (int i = 0; i < 64; i++)
        out[64 * gid + i] = in[i];
    //                      ^^^^^ Cyclone V 15.1: Burst-coalesced 32
}
