// Arria 10 17.1
// Values that a kernel stored or loaded before are forwarded through registers (reports of 16.1: a generator's state that
// 22 calls change has 3 loads); from 17.0 on either of two loads is one, at a chosen address.

uint next_of(__global uint *restrict state)
{
    state[0] = 1664525u * state[0] + 1013904223u;
    //                    ^^^^^^^^ Burst-coalesced 32
    //                    ^^^^^^^^ merged
    return state[0];
    //     ^^^^^^^^ merged
}

__kernel void draws(__global uint *restrict state, __global uint *restrict out, const int n)
{
    uint sum = next_of(state);
    for (int i = 0; i < n; i++) {
        sum += next_of(state);
        if (sum & 1)
            sum ^= next_of(state);
    }
    out[0] = sum;
}

// Behind a store to a place that nobody knows the value is loaded again.
__kernel void not_for_sure(__global uint *restrict state, __global const int *restrict at)
{
    const uint first = state[0];
    state[at[0]] = 1;
    state[1] = first + state[0];
    //                 ^^^^^^^^ Burst-coalesced 32
}

__kernel void clamped(__global const int *restrict s, __global int *restrict y, const int n, const int last)
{
    for (int i = 0; i < n; i++)
        y[i] = i < last ? s[i] : s[last];
    //                    ^^^^ Burst-coalesced 32
    //                           ^^^^^^^ merged
}

// An arm that does more than load keeps its load.
__kernel void scaled(__global const int *restrict s, __global int *restrict y, const int n, const int last)
{
    for (int i = 0; i < n; i++)
        y[i] = i < last ? 2 * s[i] : s[last];
    //                               ^^^^^^^ Burst-coalesced cached 32
}
