// Stratix 10 19.4
// Width: element times contiguous copies, to the next power of two, never cut at the memory word; neighbouring
// accesses merge. Strides 1, 2 and 4 stay one aligned unit, 3 and 5 one non-aligned unit, 6 and more one unit a lane.

__attribute__((reqd_work_group_size(128, 1, 1)))
__attribute__((num_simd_work_items(8)))
__kernel void strides(__global const float *restrict in, __global float *restrict out, const int shift)
{
    const int i = get_global_id(0);
    float sum = in[i];
    //          ^^^^^ Burst-coalesced 256
    sum += in[2 * i];
    //     ^^^^^^^^^ Burst-coalesced 512
    sum += in[4 * i];
    //     ^^^^^^^^^ Burst-coalesced 1024
    sum += in[3 * i];
    //     ^^^^^^^^^ Burst-coalesced non-aligned 1024
    sum += in[6 * i];
    //     ^^^^^^^^^ Burst-coalesced 32 x8
    sum += in[i + 1024];
    //     ^^^^^^^^^^^^ Burst-coalesced 256
    sum += in[i + shift];
    //     ^^^^^^^^^^^^^ Burst-coalesced non-aligned 256
    out[i] = sum;
//  ^^^^^^ Burst-coalesced 256
}

__kernel void guide_merged(__global const int *restrict in, __global int *restrict out)
{
    const int i = get_global_id(0);
    const int a1 = in[3 * i];
    //             ^^^^^^^^^ Burst-coalesced non-aligned 128
    const int a2 = in[3 * i + 1];
    //             ^^^^^^^^^^^^^ merged
    const int a3 = in[3 * i + 2];
    //             ^^^^^^^^^^^^^ merged
    out[i] = a1 + a2 + a3;
}

__kernel void neighbours(__global const float *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
    //       ^^^^^^^^^ Burst-coalesced 128
    //                                   ^^^^^^^^^^^^^ merged
}

typedef struct { float2 point, direction; float weight; } line;

__kernel void vector_members(__global const line *restrict lines, __global float *restrict out, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += lines[i].weight;
    //         ^^^^^^^^^^^^^^^ Burst-coalesced 32
    out[0] = sum;
}

__kernel void short_loop(__global const float *restrict in, __global float *restrict out, const int n)
{
    for (int g = 0; g < n; g++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++)
            sum += in[8 * g + k];
    //             ^^^^^^^^^^^^^ Stratix 10 18.1: Burst-coalesced 256
    //             ^^^^^^^^^^^^^ Stratix 10 19.4: Burst-coalesced 32
        out[g] = sum;
    }
}

__kernel void wide(__global const float16 *restrict in, __global float16 *restrict out, const int n)
{
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        out[i] = in[i];
    //  ^^^^^^ Burst-coalesced 2048
    //           ^^^^^ Burst-coalesced 2048
}

__kernel void start_unknown(__global const float *restrict in, __global float *restrict out, const int from, const int n)
{
    float sum = 0.0f;
    #pragma unroll 4
    for (int i = from; i < n; i++)
        sum += in[i];
    //         ^^^^^ Burst-coalesced non-aligned 128
    out[0] = sum;
}

__attribute__((reqd_work_group_size(64, 4, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void sized_rows(__global const float *restrict in, __global float *restrict out, const int width)
{
    const int x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = in[y * width + x];
    //                                ^^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned 128
}

typedef struct { float first, spare, second, third; float more[3]; } record;

__kernel void fields_apart(__global const record *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = in[i].first + in[i].second * in[i].third;
    //       ^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
    //                     ^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced non-aligned 64
    //                                    ^^^^^^^^^^^ Stratix V 16.1: merged
}

__kernel void stored_then_loaded(__global record *restrict all, __global float *restrict out)
{
    const int i = get_global_id(0);
    all[i].first = 0.5f;
    out[i] = all[i].second * all[i].first;
    //       ^^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
    //                       ^^^^^^^^^^^^ Stratix V 16.1: merged
}

// Neighbours under different conditions share a unit from 20.0 on, loads and stores; each is enabled by its own.
__kernel void either_half(__global const float *restrict x, __global float *restrict y, const int n)
{
    const int i = get_global_id(0);
    if (2 * i < n)
        y[2 * i] = x[2 * i];
    //  ^^^^^^^^ Arria 10 20.4: Burst-coalesced 64
    //             ^^^^^^^^ Arria 10 20.4: Burst-coalesced 64
    //             ^^^^^^^^ Arria 10 19.4: Burst-coalesced 32
    //             ^^^^^^^^ Stratix V 14.1: Burst-coalesced 64
    if (2 * i + 1 < n)
        y[2 * i + 1] = x[2 * i + 1];
    //  ^^^^^^^^^^^^ Arria 10 20.4: merged
    //  ^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
    //                 ^^^^^^^^^^^^ Arria 10 20.4: merged
    //                 ^^^^^^^^^^^^ Arria 10 19.4: Burst-coalesced 32
}

// Pairs that are read, changed and written back: the store of the one does not touch the other.
__kernel void pairs(__global float *restrict p, __global const int *restrict at, const int n)
{
    for (int i = 0; i < n; i++) {
        const int k = at[i];
        p[2 * k] += 1.0f;
    //  ^^^^^^^^ Burst-coalesced 64
        p[2 * k + 1] += 2.0f;
    //  ^^^^^^^^^^^^ merged
    }
}

// Work-items that step by one element: each such stream has a unit, where reports show it.
__kernel void steps(__global const int *restrict x, __global int *restrict y)
{
    const int i = get_global_id(0);
    y[i] = x[i] - x[i + 1];
    //     ^^^^ Burst-coalesced non-aligned 64
    //     ^^^^ Arria 10 20.4: Burst-coalesced 32
    //            ^^^^^^^^ merged
    //            ^^^^^^^^ Arria 10 20.4: Prefetching 32
}

// The ends of a row are neighbours that one unit fetches.
__kernel void rows(__global const int *restrict x, __global int *restrict y)
{
    const int i = get_global_id(0);
    int start = x[i];
    //          ^^^^ Arria 10 20.4: Burst-coalesced non-aligned 64
    for (int k = start; k < x[i + 1]; k++)
    //                      ^^^^^^^^ Arria 10 20.4: merged
        y[k] = i;
}

// No unit is wider than 8192 bits: what would be is cut from its first byte on, structures into parts.

struct sheet { int used; int cells[700]; };

__kernel void wide(__global const struct sheet *restrict sheets, __global const double *restrict rows,
                   __global double *restrict out, const int n)
{
    for (int i = 0; i < n; i++) {
        struct sheet one = sheets[i];
        //                 ^^^^^^^^^ Burst-coalesced non-aligned 8192 x3
        //                 ^^^^^^^^^ Arria 10 19.4: Burst-coalesced non-aligned 8192 x3
        double sum = 0;
        #pragma unroll
        for (int j = 0; j < 160; j++)
            sum += rows[160 * i + j];
        //         ^^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned 8192 + Burst-coalesced 2048
        out[i] = sum + one.cells[one.used];
    }
}

// A structure is fetched whole by a unit of the next power of two, which its elements start at no multiple of.

struct triple { int a, b, c; };
struct quad { int a, b, c, d; };

__kernel void structures(__global const struct triple *restrict triples, __global const struct quad *restrict quads,
                         __global struct triple *restrict out, const int n)
{
    for (int i = 0; i < n; i++) {
        struct triple one = triples[i];
        //                  ^^^^^^^^^^ Burst-coalesced non-aligned 128
        //                  ^^^^^^^^^^ Cyclone V 18.1: Burst-coalesced non-aligned 128
        struct quad other = quads[i];
        //                  ^^^^^^^^ Burst-coalesced 128
        one.a += other.a * other.b * other.c * other.d * one.b * one.c;
        out[i] = one;
    //  ^^^^^^ Burst-coalesced non-aligned 128
    }
}

// So is one that lanes fetch at places of their own.

__attribute__((num_simd_work_items(2)))
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void picked(__global const int *restrict at, __global const float *restrict points, __global float *restrict out)
{
    const int i = get_global_id(0);
    const float3 p = vload3(at[i], points);
    //               ^^^^^^^^^^^^^^^^^^^^^ Stratix V 15.0: Burst-coalesced non-aligned 128 x2
    out[i] = p.x * p.y * p.z;
}

// A place that is chosen in front of an unrolled loop is the same in all its copies, though what chooses it came from
// an earlier run of that loop.

struct node { uint4 parts[4]; };

__kernel void parents(__global const struct node *restrict nodes, __global uint4 *restrict out, const uint n)
{
    const uint id = get_global_id(0);
    uint words[16];
    for (uint i = 0; i < 16; i++)
        words[i] = id ^ i;
    for (uint i = 0; i < 256; i++) {
        const uint parent = words[i % 16] * 16777619 % n;
        #pragma unroll
        for (uint j = 0; j < 4; j++) {
            const uint4 x = nodes[parent].parts[j];
            //              ^^^^^^^^^^^^^^^^^^^^^^ Arria 10 17.1: Burst-coalesced cached 512
            words[4 * j] = words[4 * j] * 3 ^ x.x;
            words[4 * j + 1] = words[4 * j + 1] * 3 ^ x.y;
            words[4 * j + 2] = words[4 * j + 2] * 3 ^ x.z;
            words[4 * j + 3] = words[4 * j + 3] * 3 ^ x.w;
        }
    }
    out[id] = (uint4)(words[0], words[1], words[2], words[3]);
}
