// Stratix 10 22.4
// Units that the programmer asks for, and units that nobody sees in the source.

__kernel void controlled(__global const int *restrict in, __global int *restrict out, const int n)
{
    for (int i = 0; i < n; i++) {
        int a = __burst_coalesced_load(in + i);
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 32
        a += __prefetching_load(in + i);
    //       ^^^^^^^^^^^^^^^^^^^^^^^^^^ Prefetching 32
        a += __pipelined_load(in + i);
    //       ^^^^^^^^^^^^^^^^^^^^^^^^ Pipelined 32
        a += __burst_coalesced_cached_load(in + i, 1024);
    //       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced cached 32
        __burst_coalesced_store(out + i, a);
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 32
    }
}

__kernel void counted(__global volatile int *restrict bins, __global const int *restrict in)
{
    atomic_add(&bins[in[get_global_id(0)]], 1);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Atomic-pipelined 32
}

__kernel void told(__global const int *restrict in)
{
    printf("%d\n", in[get_global_id(0)]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 64
}

__kernel void told_by_name(__global const int *restrict in)
{
    if (in[0] == 0)
        printf("%s: %s\n", "first", "done");
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned 256
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced non-aligned 256
    else
        printf("none\n");
    //  ^^^^^^^^^^^^^^^^ Burst-coalesced 32
    //  ^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced non-aligned 256
}

__kernel void tables(__constant float *restrict c, __global float *restrict out)
{
    __local float tile[64];
    const int i = get_global_id(0), k = get_local_id(0);
    tile[k] = c[i & 7];
    //        ^^^^^^^^ Pipelined 32
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[63 - k];
    //       ^^^^^^^^^^^^ Pipelined never-stall 32
}

// Two trips are unrolled unasked before 19.1, but not where a pragma makes one loop of them and those around.

__kernel void two_trips(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 2; j++) {
            #pragma unroll
            for (int u = 0; u < 4; u++)
                y[i * 8 + j * 4 + u] = x[i * 8 + j * 4 + u];
    //                                 ^^^^^^^^^^^^^^^^^^^^ Stratix 10 18.1: Burst-coalesced 256
        }
}

__kernel void two_trips_merged(__global const float *restrict x, __global float *restrict y)
{
    #pragma loop_coalesce 2
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 2; j++) {
            #pragma unroll
            for (int u = 0; u < 4; u++)
                y[i * 8 + j * 4 + u] = x[i * 8 + j * 4 + u];
    //                                 ^^^^^^^^^^^^^^^^^^^^ Stratix 10 19.4: Burst-coalesced 128
        }
}

#define CHANNEL_BYTES 64
#define EACH (CHANNEL_BYTES / sizeof(float))

__kernel void by_size(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        __attribute__((opencl_unroll_hint(EACH)))
        for (int k = 0; k < EACH; k++)
            y[i * EACH + k] = x[i * EACH + k];
    //                        ^^^^^^^^^^^^^^^ Burst-coalesced 512
    }
}
