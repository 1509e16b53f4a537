// Stratix V 16.1
// One work-item walks over an image. What the innermost loop reads element by element is prefetched, what it reads at
// places that are clamped, or steps that only the run tells, has a cache.

__kernel void window(__global const float *restrict image, __global float *restrict y, const uint2 size, const int reach)
{
    for (int row = 0; row < size.y; row++)
        for (int column = 0; column < size.x; column++) {
            float sum = image[row * size.x + column];
    //                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Prefetching 32
    //                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 18.1: Burst-coalesced cached 32
    //                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 15.0: Burst-coalesced 32
            for (int d = 0; d < reach; d++)
                sum += image[row * size.x + min(column + d, (int)size.x - 1)];
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
            y[row * size.x + column] = sum;
    //      ^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 32
            if (sum < 0.0f)
                y[row * size.x + column] = 0.0f;
    //          ^^^^^^^^^^^^^^^^^^^^^^^^ merged
        }
}

__kernel void shrunk(__global const ushort *restrict image, __global float *restrict y, const int n, const int ratio)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            y[row * n + column] = image[(row * n + column) * ratio];
    //                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 16
}

// No unit keeps a range of 16 MiB, whatever bounds it.
__kernel void large(__global const int *restrict at, __global const float *restrict x, __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[at[i] & 0x3fffff];
    //     ^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
}
