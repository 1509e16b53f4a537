// Arria 10 17.1
// A range of unknown size that loops or work-items read again: 16.1 prefetches what the innermost of nested loops reads in
// order, later compilers cache it.

__kernel void passes(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += x[j];
    //             ^^^^ Burst-coalesced cached 32
    //             ^^^^ Arria 10 18.1: Burst-coalesced cached 32
    //             ^^^^ Stratix V 16.1: Prefetching 32
        y[i] = sum;
    }
}

__kernel void by_all_items(__global const float *restrict x, __global float *restrict y, const int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += x[j];
    //         ^^^^ Burst-coalesced 32
    //         ^^^^ Stratix 10 18.1: Burst-coalesced cached 32
    y[get_global_id(0)] = sum;
}

__kernel void by_group(__global const float *restrict x, __global float *restrict y)
{
    y[get_global_id(0)] = x[get_group_id(0)];
    //                    ^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
}

__kernel void staged(__global const float *restrict x, __global float *restrict y)
{
    __local float tile[64];
    event_t done = async_work_group_copy(tile,
                                         x + 64 * get_group_id(0),
    //                                   ^^^^^^^^^^^^^^^^^^^^^^^^ Stratix 10 19.4: Burst-coalesced cached 32
                                         64, 0);
    wait_group_events(1, &done);
    y[get_global_id(0)] = tile[63 - get_local_id(0)];
}

// A range whose size the compiler can tell is kept as a whole, wherever the index comes from.

typedef struct { float weight[256]; float place[256]; } table;

__kernel void by_mask(__global const int *restrict code, __global const table *restrict all,
                      __global float *restrict y, const int n)
{
    for (int i = get_local_id(0); i < n; i += 16) {
        const int own = code[i];
        if ((own & 0x4000) == 0)
            y[i] = all->place[own & 0xff];
    //             ^^^^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Semi-streaming 32
    //             ^^^^^^^^^^^^^^^^^^^^^^ Arria 10 20.4: Burst-coalesced cached 32
    }
}

__kernel void by_a_name_nobody_defines(__global const int *restrict code, __global const float *restrict x,
                                       __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[code[i] & ATOM_MASK];
    //     ^^^^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Semi-streaming 32
}

__kernel void by_type(__global const uchar *restrict code, __global const float *restrict x,
                      __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[code[i]];
    //         ^^^^^^^^^^ Semi-streaming 32
}

__kernel void by_a_type_with_a_sign(__global const char *restrict code, __global const float *restrict x,
                                    __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[code[i]];
    //     ^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
}

__kernel void by_a_short_counter(__global const float *restrict x, __global float *restrict y, const char n)
{
    float sum = 0.0f;
    for (char i = get_local_id(0); i < n; i += 16)
        sum += x[i];
    //         ^^^^ Arria 10 16.1: Semi-streaming 32
    y[get_global_id(0)] = sum;
}

__kernel void by_trips(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 640; j++)
            if (i == 0)
                y[j] = x[j];
    //                 ^^^^ Semi-streaming 32
}

void triangle(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 32; i++)
        for (int j = i; j < 32; j++) {
            float sum = 0.0f;
            #pragma unroll 1
            for (int k = 0; k < 32; k++)
                sum += x[32 * k + i] * x[32 * k + j];
    //                 ^^^^^^^^^^^^^ Semi-streaming 32
    //                                 ^^^^^^^^^^^^^ Burst-coalesced 32
            y[32 * i + j] = sum;
        }
}

__kernel void by_trips_of_a_triangle(__global const float *restrict x, __global float *restrict y)
{
    triangle(x, y);
}

__kernel void by_steps_of_three(__global const int *restrict code, __global const float *restrict x,
                                __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[3 * (code[i] & 0xff)];
    //     ^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
}

__kernel void stored_as_well(__global const int *restrict code, __global float *restrict x)
{
    const int i = get_global_id(0);
    x[i] = 1.0f;
    x[code[i] & 0xff] += 2.0f;
//  ^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced 32
}

__kernel void walked_once(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 640; i++)
        y[i] = x[i];
    //         ^^^^ Prefetching 32
}

__kernel void never_moved(__global const float *restrict x, __global float *restrict y, const int n)
{
    y[get_global_id(0)] = x[n & 15];
    //                    ^^^^^^^^^ Burst-coalesced 32
}

// Work-items that each read one place in turn read a range once.

__kernel void by_id(__global const float *x, __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[i % 512];
    //     ^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
}
