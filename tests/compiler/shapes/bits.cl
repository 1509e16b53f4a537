// Stratix 10 19.4
// Alignment through bit operations: fields of an id that are shifted, masked and put together keep the zero bits
// below them, as the fetch kernel of a Fourier transform needs (one aligned unit, two reports).

#define FIELD(id, start, bits) (((id) >> (start)) & ((1 << (bits)) - 1))

__kernel void permuted(__global const float2 *restrict in, __global float2 *restrict out)
{
    const uint first = get_global_id(0) << 3;
    const uint swapped = (FIELD(first, 8, 4) << 4) | (FIELD(first, 4, 4) << 8) | FIELD(first, 0, 4);
    float2 sum = 0.0f;
    #pragma unroll
    for (uint k = 0; k < 8; k++)
        sum += in[swapped + k];
    //         ^^^^^^^^^^^^^^^ Burst-coalesced 512
    out[get_global_id(0)] = sum;
}

__kernel void rounded_down(__global const float *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; k++)
        sum += in[(i & ~7) + k];
    //         ^^^^^^^^^^^^^^^^ Burst-coalesced 256
    #pragma unroll
    for (int k = 0; k < 8; k++)
        sum += in[((i >> 3) << 3) + k + 4096];
    //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 256
    #pragma unroll
    for (int k = 0; k < 8; k++)
        sum += in[(i & ~3) + k];
    //         ^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned 256
    out[i] = sum;
}

__kernel void put_together(__global const float *restrict in, __global float *restrict out, const int row)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4; k++)
        sum += in[(i << 2) | k];
    //         ^^^^^^^^^^^^^^^^ Burst-coalesced 128
    #pragma unroll
    for (int k = 0; k < 4; k++)
        sum += in[((row ^ i) & 0x3fc) + k];
    //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 128
    #pragma unroll
    for (int k = 0; k < 4; k++)
        sum += in[(row | (i << 2)) + k];
    //         ^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned 128
    out[i] = sum;
}
