// Stratix V 16.1
// Up to 16.x fields that share a unit come with the aligned block around them, where the source shows which one it is.

typedef struct { uint first; uint last; float low_x; float high_x; float low_y; float high_y; uint left; uint right; } Box;

__kernel void inside(__global const Box *boxes, __global const uint *at, __global float *restrict y)
{
    const int i = get_global_id(0);
    const uint n = at[i];
    y[i] = boxes[n].low_x + boxes[n].high_x + boxes[n].low_y + boxes[n].high_y;
    //     ^^^^^^^^^^^^^^ Burst-coalesced cached 256
    //     ^^^^^^^^^^^^^^ Stratix V 17.1: Burst-coalesced non-aligned cached 128
}

// Structures whose size no power of two divides say nothing of it.
typedef struct { float x; float y; float z; } Point;

__kernel void anywhere(__global const Point *points, __global const uint *at, __global float *restrict y)
{
    const int i = get_global_id(0);
    const uint n = at[i];
    y[i] = points[n].y + points[n].z;
    //     ^^^^^^^^^^^ Burst-coalesced non-aligned cached 64
}
