// Arria 10 20.4
// Work-items: a[gid] is plain (6 of 6), a[gid + c] prefetches, whatever is irregular and read-only is cached (37 of 37).

__kernel void plain(__global const float *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[i];
    //       ^^^^^ Burst-coalesced 32
    //       ^^^^^ Arria 10 19.4: Burst-coalesced 32
}

__kernel void shifted(__global const float *restrict in, __global float *restrict out, const int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = in[i + 1];
    //       ^^^^^^^^^ Prefetching 32
    //       ^^^^^^^^^ Stratix 10 19.4: Burst-coalesced 32
}

__kernel void gather(__global const float *restrict in, __global const int *restrict at, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[at[i]];
    //       ^^^^^^^^^ Burst-coalesced cached 32
    //          ^^^^^ Burst-coalesced 32
}

__kernel void rows(__global const float *restrict a, __global float *restrict sums, const int width)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += a[row * width + i];
    //         ^^^^^^^^^^^^^^^^^^ Burst-coalesced 32
    sums[row] = sum;
}

// A range that work-items share is cached.
__kernel void filters(__global const float *restrict a, __global const float *restrict w, __global float *restrict sums,
                      const int width)
{
    const int filter = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += a[row * width + i] * w[filter * width + i];
    //         ^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
    //                              ^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
    sums[row * 64 + filter] = sum;
}

__kernel void groups(__global const float *restrict in, __global float *restrict out)
{
    out[get_global_id(0)] = in[get_group_id(0)] * in[get_local_id(0)];
    //                      ^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
    //                                            ^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
}

__kernel void asked_first(__global const float *restrict in, __global const uchar *restrict wanted,
                          __global float *restrict out)
{
    const int i = get_global_id(0);
    if (wanted[i])
        out[i] = in[i];
    //           ^^^^^ Burst-coalesced cached 32
}

__kernel void range(__global const float *restrict in, __global float *restrict out, const int n)
{
    const int i = get_global_id(0);
    if (i > 0 && n > 2)
        out[i] = in[i];
    //           ^^^^^ Burst-coalesced 32
}

// The same code with and without restrict: a store before the load ends both the cache and the sharing.
__kernel void promised(__global const int *restrict key, __global const int *restrict at, __global int *restrict out)
{
    const int i = get_global_id(0);
    out[2 * i] = key[at[i]];
    //           ^^^^^^^^^^ Burst-coalesced cached 32
    //           ^^^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 32
    out[2 * i + 1] = key[at[i]] + 1;
    //               ^^^^^^^^^^ merged
}

__kernel void not_promised(__global const int *key, __global const int *at, __global int *out)
{
    const int i = get_global_id(0);
    out[2 * i] = key[at[i]];
    //           ^^^^^^^^^^ Burst-coalesced cached 32
    out[2 * i + 1] = key[at[i]] + 1;
    //               ^^^^^^^^^^ Burst-coalesced 32
}
