// Stratix 10 19.4
// `volatile` keeps a load or store from being left out, from being prefetched and from having a cache of its own. It does
// not keep neighbours apart: vendor examples ask for wide loads without a cache in this way, and transposes that load
// eight volatile elements in a row took on a 520N a fifth to a ninth of what eight units would have to move.

__kernel void by_hand(__global const volatile float2 *restrict x, __global volatile float2 *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        y[4 * i] = x[4 * i];
    //             ^^^^^^^^ Burst-coalesced 256
    //  ^^^^^^^^ Burst-coalesced 256
        y[4 * i + 1] = x[4 * i + 1];
        y[4 * i + 2] = x[4 * i + 2];
        y[4 * i + 3] = x[4 * i + 3];
    }
}

__kernel void by_pragma(__global const volatile float2 *restrict x, __global volatile float2 *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        #pragma unroll
        for (int k = 0; k < 4; k++)
            y[4 * i + k] = x[4 * i + k];
    //                     ^^^^^^^^^^^^ Burst-coalesced 256
    //      ^^^^^^^^^^^^ Burst-coalesced 256
}
