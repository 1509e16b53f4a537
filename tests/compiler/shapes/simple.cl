// Stratix V 16.1
// Compiler 16.1 fetches what no work-item id and no iteration changes through a simple unit (43 of 43); neighbouring
// fields share a wide one.

typedef struct { int width, height; float scale, offset; } settings;

__kernel void fields(__global const settings *restrict s, __global const float *restrict in,
                     __global float *restrict out)
{
    const int i = get_global_id(0);
    if (i < s->width)
    //      ^^^^^^^^ Simple 128
        out[i] = in[i] * s->scale + s->offset;
    //                   ^^^^^^^^ merged
}

__kernel void first(__global const int *restrict count, __global int *restrict out)
{
    out[get_global_id(0)] = count[0];
    //                      ^^^^^^^^ Simple 32
    //                      ^^^^^^^^ Arria 10 16.1: Simple 32
    //                      ^^^^^^^^ Stratix V 17.1: Burst-coalesced 32
}

typedef struct { char kinds, most; float scale; float apart[20]; float charge; } parameters;

__kernel void far_fields(__global const parameters *restrict p, __global float *restrict out)
{
    out[get_global_id(0)] = p->kinds * p->scale + p->charge;
    //                      ^^^^^^^^ Simple 64
    //                                 ^^^^^^^^ merged
    //                                            ^^^^^^^^^ Simple 32
}

// Fields on both sides of a memory word's end have a unit each, as wide as the aligned block around them.

typedef struct { int before[13]; float low, high, step; int limit; float rise, fall; } limits;

__kernel void two_words(__global const limits *restrict p, __global float *restrict out)
{
    out[get_global_id(0)] = p->low + p->high + p->rise + p->fall;
    //                      ^^^^^^ Simple 128
    //                               ^^^^^^^ merged
    //                                         ^^^^^^^ Simple 128
    //                                                   ^^^^^^^ merged
}

// Where nothing fixes the words, they are fetched from the first byte on.

__kernel void from_anywhere(__global const float *restrict x, __global float *restrict out, const int n)
{
    out[get_global_id(0)] = x[n + 14] + x[n + 17];
    //                      ^^^^^^^^^ Simple 128
    //                                  ^^^^^^^^^ merged
}

// Stores of another scalar type cannot change a field, so that no restrict is needed.

typedef struct { int length; float gain; } shape;

__kernel void scale(__global const float *in, __global float *out, __global const shape *s)
{
    for (int i = get_global_id(0); i < s->length; i += 64)
    //                                 ^^^^^^^^^ Simple 32
        out[i] = in[i] * s->gain;
    //                   ^^^^^^^ Burst-coalesced 32
}
