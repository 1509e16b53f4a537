// The four operations of STREAM as single work-items, one memory word an iteration. ELEMENT is the type of an element
// (float, double), LANES how many a word holds, WORD the vector type of both together.

__attribute__((uses_global_work_offset(0)))
__kernel void copy(__global const WORD *restrict from, __global WORD *restrict to, const uint elements)
{
    for (uint i = 0; i < elements / LANES; i++)
        to[i] = from[i];
}

__attribute__((uses_global_work_offset(0)))
__kernel void scale(__global const WORD *restrict from, __global WORD *restrict to, const ELEMENT factor,
                    const uint elements)
{
    for (uint i = 0; i < elements / LANES; i++)
        to[i] = factor * from[i];
}

__attribute__((uses_global_work_offset(0)))
__kernel void add(__global const WORD *restrict left, __global const WORD *restrict right, __global WORD *restrict to,
                  const uint elements)
{
    for (uint i = 0; i < elements / LANES; i++)
        to[i] = left[i] + right[i];
}

__attribute__((uses_global_work_offset(0)))
__kernel void triad(__global const WORD *restrict left, __global const WORD *restrict right, __global WORD *restrict to,
                    const ELEMENT factor, const uint elements)
{
    for (uint i = 0; i < elements / LANES; i++)
        to[i] = left[i] + factor * right[i];
}
