// Arria 10 16.1
// A vector that is written component by component is one store; what the first one fetches of the rest is not needed
// once all are written (one report).

__kernel void all_of_them(__global const float *restrict x, __global float4 *restrict y)
{
    const int i = get_global_id(0);
    y[i].x = x[i];
//  ^^^^^^ merged
    y[i].y = 2.0f * x[i];
    y[i].zw = (float2)(0.0f, 1.0f);
//  ^^^^^^^ Streaming 128
}

__kernel void three_of_three(__global const float *restrict x, __global float3 *restrict y)
{
    const int i = get_global_id(0);
    y[i].s0 = x[i];
//  ^^^^^^^ merged
    y[i].s12 = (float2)(0.0f, 1.0f);
//  ^^^^^^^^ Streaming 128
}

__kernel void some_of_them(__global const float *restrict x, __global float4 *restrict y)
{
    const int i = get_global_id(0);
    y[i].x = x[i];
//  ^^^^^^ Streaming 128
    y[i].y = 2.0f;
//  ^^^^^^ merged
//  ^^^^^^ Streaming 128
}
