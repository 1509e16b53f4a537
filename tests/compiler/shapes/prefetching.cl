// Arria 10 17.1
// Single work-item kernels that walk a buffer once: 17 of 18 such loads prefetch on Arria 10, Stratix V and
// Cyclone V, none of 786 on Stratix 10; compilers up to 15.0 built no such unit.

__kernel void copy(__global const float *restrict in, __global float *restrict out, const int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i];
    //  ^^^^^^ Burst-coalesced 32
    //           ^^^^^ Prefetching 32
    //           ^^^^^ Arria 10 20.4: Prefetching 32
    //           ^^^^^ Stratix V 17.1: Prefetching 32
    //           ^^^^^ Cyclone V 18.1: Prefetching 32
    //           ^^^^^ Cyclone V 16.0: Prefetching 32
    //           ^^^^^ Cyclone V 15.0: Burst-coalesced 32
    //           ^^^^^ Cyclone V 14.0: Burst-coalesced 32
    //           ^^^^^ Stratix 10 18.1: Burst-coalesced 32
    //           ^^^^^ Stratix 10 19.4: Burst-coalesced 32
}

__kernel void every_third(__global const int *restrict in, __global int *restrict out, const int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[3 * i];
    //         ^^^^^^^^^ Prefetching 32
    out[0] = sum;
}

__kernel void counted(__global const float4 *restrict in, __global float4 *restrict out, const int n)
{
    int at = 0;
    float4 sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[at++];
    //         ^^^^^^^^ Prefetching 128
    *out = sum;
}

__kernel void under_a_condition(__global const float *restrict in, __global float *restrict out, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        if (sum < 10.0f)
            sum += in[i];
    //             ^^^^^ Burst-coalesced 32
    out[0] = sum;
}

__kernel void unrolled(__global const float *restrict in, __global float *restrict out, const int n)
{
    float sum = 0.0f;
    #pragma unroll 8
    for (int i = 0; i < n; i++)
        sum += in[i];
    //         ^^^^^ Burst-coalesced 256
    out[0] = sum;
}

__kernel void in_place(__global float *restrict data, const int n)
{
    for (int i = 0; i < n; i++)
        data[i] = 2.0f * data[i];
    //                   ^^^^^^^ Burst-coalesced 32
}

__kernel void may_alias(__global const float *in, __global float *out, const int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i];
    //           ^^^^^ Burst-coalesced 32
}

__kernel void nothing_stored_in_time(__global const float *in, __global float *out, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i];
    //         ^^^^^ Prefetching 32
    out[0] = sum;
}

__kernel void unsteady(__global const volatile float *restrict in, __global float *restrict out, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i];
    //         ^^^^^ Burst-coalesced 32
    out[0] = sum;
}

channel int asked;

// A list that is walked anew for each message: up to 17.1 as if the kernel began again.
__kernel void for_each_message(__global const int *restrict list, __global int *restrict out, const int n)
{
    int more = 1;
    while (more) {
        more = read_channel_intel(asked);
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += list[i];
    //             ^^^^^^^ Arria 10 16.1: Prefetching 32
        out[0] = sum;
    }
}

__kernel void neighbours_at_any_address(__global const int *restrict in, __global int *restrict out, const int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[3 * i] * in[3 * i + 1];
    //         ^^^^^^^^^ Burst-coalesced non-aligned 64
    out[0] = sum;
}

// A choice comes after what it chooses from is read (Cyclone V, 16.1 and 18.1); a condition does not.

__kernel void chosen(__global const float *restrict in, __global float *restrict out, const int n)
{
    for (int i = -4; i < n; i++)
        out[i + 4] = i >= 0 ? in[i] : 0.0f;
    //                        ^^^^^ Cyclone V 16.1: Prefetching 32
    //                        ^^^^^ Cyclone V 18.1: Prefetching 32
}

// From 19.0 on not where the text says how often (Arria 10 19.4: none of three).

__kernel void so_many(__global const float *restrict in, __global float *restrict out)
{
    float sum = 0.0f;
    for (int i = 0; i < 4096; i++)
        sum += in[i];
    //         ^^^^^ Prefetching 32
    //         ^^^^^ Arria 10 19.4: Burst-coalesced 32
    //         ^^^^^ Arria 10 21.1: Burst-coalesced 32
    out[0] = sum;
}

// Each row of a range reads the same (Arria 10 21.1: five of five); one repository shows it.

__kernel void for_each_row(__global const float *restrict in, __global float *restrict out, const int width)
{
    out[get_global_id(1) * width + get_global_id(0)] = in[get_global_id(0)];
    //                                                 ^^^^^^^^^^^^^^^^^^^^ Arria 10 21.1: Prefetching 32
    //                                                 ^^^^^^^^^^^^^^^^^^^^ Streaming 32
}
