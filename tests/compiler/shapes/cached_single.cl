// Stratix 10 19.4
// Single work-item kernels up to 19.2: two rolled loops around a load of a restrict pointer make a private cache; one
// rolled loop never does on Stratix 10 (0 of 44). From 19.3 on only a range that an outer loop reads again at strides
// that the text fixes gets one: the same generated kernels, 14 of 14 loads at 19.2, 8 of 177 at 19.4 and 22.x.

__kernel void read_again(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < m; j++)
            sum += x[j];
    //             ^^^^ Burst-coalesced cached 32
    //             ^^^^ Arria 10 19.4: Burst-coalesced cached 32
    //             ^^^^ Arria 10 17.1: Burst-coalesced cached 32
    //             ^^^^ Cyclone V 18.1: Burst-coalesced 32
        y[i] = sum;
    }
}

__kernel void blocks(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i += 256)
        for (int j = 0; j < 256; j++)
            y[i + j] = x[i + j];
    //      ^^^^^^^^ Burst-coalesced 32
    //                 ^^^^^^^^ Burst-coalesced 32
    //                 ^^^^^^^^ Stratix 10 19.2: Burst-coalesced cached 32
    //                 ^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 32
}

__kernel void again_by_rows(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int r = 0; r < m; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                y[i] += x[j * n + i];
    //                  ^^^^^^^^^^^^ Burst-coalesced 32
    //                  ^^^^^^^^^^^^ Stratix 10 18.1: Burst-coalesced cached 32
    //                  ^^^^^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 32
}

// A condition that the innermost loop decides keeps the load in it: it reads the same place in each iteration. Without
// one the load is made in front of that loop.

__kernel void in_the_first_round(__global const float *restrict x, __global const float *restrict w,
                                 __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float held = 0.0f;
        for (int j = 0; j < 512; j++) {
            if (j == 0)
                held = x[i];
    //                 ^^^^ Burst-coalesced cached 32
    //                 ^^^^ Arria 10 19.4: Burst-coalesced cached 32
            y[i * 512 + j] = held * w[i];
    //                              ^^^^ Burst-coalesced 32
        }
    }
}

__kernel void not_promised(__global const float *x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i] += x[j];
    //              ^^^^ Burst-coalesced 32
}

#define COLUMNS 16

__kernel void inner_unrolled(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            sum += x[i * COLUMNS + j];
    //             ^^^^^^^^^^^^^^^^^^ Burst-coalesced 512
        y[i] = sum;
    }
}

// A block that is read, changed and written back: no cache, but for the promise that iterations do not meet.
__kernel void in_blocks(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i += 512) {
        float kept[512];
        #pragma unroll 16
        for (int j = 0; j < 512; j++)
            kept[j] = y[i + j];
    //                ^^^^^^^^ Burst-coalesced 512
        #pragma unroll 16
        for (int j = 0; j < 512; j++)
            y[i + j] = kept[j] + x[i + j];
    //      ^^^^^^^^ Burst-coalesced 512
    //      ^^^^^^^^ Stratix 10 18.1: Burst-coalesced write-ack 512
    //                           ^^^^^^^^ Stratix 10 18.1: Burst-coalesced cached 512
    }
}

__kernel void in_blocks_apart(__global const float *restrict x, __global float *restrict y, const int n)
{
    #pragma ivdep
    for (int i = 0; i < n; i += 512) {
        float kept[512];
        #pragma unroll 16
        for (int j = 0; j < 512; j++)
            kept[j] = y[i + j];
    //                ^^^^^^^^ Stratix 10 18.1: Burst-coalesced cached 512
        #pragma unroll 16
        for (int j = 0; j < 512; j++)
            y[i + j] = kept[j] + x[i + j];
    //      ^^^^^^^^ Stratix 10 18.1: Burst-coalesced write-ack 512
    }
}

__kernel void keep_out_of_the_cache(__global const volatile float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += x[j];
    //              ^^^^ Burst-coalesced 32
}

// Up to 17.1 the same, but for what a helper function is handed (0 of 9).

channel float rows;

__kernel void sent(__global const float *restrict x, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 100; j++)
            write_channel_intel(rows, x[100 * i + j]);
    //                                ^^^^^^^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 32
}

__kernel void stored(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i] = x[m * i + j];
    //             ^^^^^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 32
}

float summed(__global const float *row, const int m)
{
    float sum = 0.0f;
    for (int j = 0; j < m; j++)
        sum += row[j];
    //         ^^^^^^ Arria 10 17.1: Burst-coalesced 32
    //         ^^^^^^ Arria 10 18.1: Burst-coalesced cached 32
    return sum;
}

__kernel void through_a_helper(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < n; i++)
        y[i] = summed(x + m * i, m);
}

// Tables read through values from memory: up to 17.1 where the kernel stores nothing and has no __constant argument,
// and from 19.3 on in nested loops.

channel float found;

__kernel void looked_up(__global const int *restrict which, __global const float *restrict table, const int n)
{
    while (true)
        for (int i = 0; i < n; i++)
            write_channel_intel(found, table[which[i]]);
    //                                 ^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
    //                                 ^^^^^^^^^^^^^^^ Arria 10 19.4: Burst-coalesced cached 32
}

__kernel void scaled(__global const int *restrict which, __global const float *restrict table,
                     __constant float *restrict scale, const int n)
{
    while (true)
        for (int i = 0; i < n; i++)
            write_channel_intel(found, table[which[i]] * scale[0]);
    //                                 ^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced 32
}

// A table that every iteration of the only loop reads anew as a whole; what moves with the loop has no cache.

__kernel void read_anew(__global const float *restrict table, __global const float *restrict x,
                        __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float sum = x[i];
        //          ^^^^ Stratix 10 20.2: Burst-coalesced 32
        #pragma unroll
        for (int j = 0; j < 16; j++)
            sum += table[j] * j;
        //         ^^^^^^^^ Stratix 10 20.2: Burst-coalesced cached 512
        //         ^^^^^^^^ Stratix 10 18.1: Burst-coalesced 512
        y[i] = sum;
    }
}
